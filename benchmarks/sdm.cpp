// The SDM pass by hand, to measure bittern's kernel against: the same arithmetic, the same prefetch.
// g++ -O3 -march=native -ffast-math -shared -fPIC sdm.cpp -o sdm.so

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

extern "C" double learn(const int32_t* first, const int32_t* second, int64_t n, float* rows,
                        const float* mass, double* totals, int32_t* updates,
                        const int32_t* cooling, const float* rates, int64_t n_rates,
                        double kappa, int64_t n_words, int64_t n_topics, float gamma, float beta) {
  const int64_t K = n_topics;
  std::vector<float> q_(K), settled_(totals, totals + K), change_(K, 0.f);
  float *__restrict q = q_.data(), *__restrict settled = settled_.data(),
        *__restrict change = change_.data();
  const float all_words_prior = n_words * beta;
  double log_likelihood = 0, product = 1;
  auto step_size = [&](int32_t word) {
    int32_t t = updates[word]++, at = t < cooling[word] ? t : cooling[word];
    float rate = at < n_rates ? rates[at] : (float)std::pow(1.0 + at, -kappa);
    return t == at ? rate : rate / (1.f + rate * (t - at));
  };
  for (int64_t i = 0; i < n; i++) {
    if (i + 4 < n)
      for (int64_t k = 0; k < K; k += 16) {
        __builtin_prefetch(rows + first[i + 4] * K + k, 1, 3);
        __builtin_prefetch(rows + second[i + 4] * K + k, 1, 3);
      }
    const int32_t v = first[i], w = second[i];
    float *row_v = rows + v * K, *row_w = rows + w * K;
    const float mass_v = mass[v], mass_w = mass[w];
    float weight = 0;
#pragma GCC ivdep
    for (int64_t k = 0; k < K; k++) {
      float t = std::max(settled[k] + change[k], 0.f), c = t + all_words_prior;
      q[k] = (0.5f * t + gamma) * (mass_v * row_v[k] + beta) * (mass_w * row_w[k] + beta) /
             (c * (c + 1));
      weight += q[k];
    }
    product *= weight;
    if (i % 8 == 7) {
      log_likelihood += std::log(product);
      product = 1;
    }
    float rho_v = step_size(v), rho_w = step_size(w);
    if (v == w) {
      rho_v += rho_w - rho_v * rho_w;
      rho_w = 0;
    }
    const float towards_v = rho_v / weight, towards_w = rho_w / weight;
#pragma GCC ivdep
    for (int64_t k = 0; k < K; k++) {
      float step_v = towards_v * q[k] - rho_v * row_v[k];
      float step_w = towards_w * q[k] - rho_w * row_w[k];
      row_v[k] += step_v;
      row_w[k] += step_w;
      change[k] += mass_v * step_v + mass_w * step_w;
    }
    if (i % 4096 == 4095)
      for (int64_t k = 0; k < K; k++) {
        totals[k] += change[k];
        settled[k] = totals[k];
        change[k] = 0;
      }
  }
  for (int64_t k = 0; k < K; k++) totals[k] += change[k];
  return log_likelihood + std::log(product);
}
