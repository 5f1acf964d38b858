"""Files at addresses; all servers are on this machine."""

import gzip
import http.server
import io
import os
import subprocess
import sys
import threading
from functools import partial

import polars as pl
import pytest

from bittern import read
from bittern.cluster.partitions import Columns, find_partitions
from bittern.corpus.reading import read_batches
from bittern.corpus.remote import explain_stored, is_remote, is_served, is_stored
from bittern.errors import InputError

TABLE = pl.DataFrame({"text": ["late train", "dirty seats"], "day": ["31.12.2024", "1.1.2025"]})
NAMES = ["a.csv", "a.csv.gz", "a.tsv", "a.jsonl", "a.jsonl.gz", "a.parquet", "a.txt", "a.txt.gz"]
LOCALHOST = "127.0.0.1"


def contents(name):
    """Return the bytes of a file with this name."""
    file = io.BytesIO()
    match name.removesuffix(".gz").split(".")[-1]:
        case "csv":
            TABLE.write_csv(file)
        case "tsv":
            TABLE.write_csv(file, separator="\t")
        case "jsonl":
            TABLE.write_ndjson(file)
        case "parquet":
            TABLE.write_parquet(file)
        case "txt":
            file.write("\n".join(TABLE["text"]).encode())
    return gzip.compress(file.getvalue()) if name.endswith(".gz") else file.getvalue()


@pytest.fixture(scope="module", autouse=True)
def _no_proxy():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NO_PROXY", LOCALHOST)
        patch.setenv("no_proxy", LOCALHOST)
        yield


@pytest.fixture(scope="module")
def bucket():
    """The address of a bucket with some files, in a server that is like S3."""
    server = pytest.importorskip("moto.server").ThreadedMotoServer(LOCALHOST, 0, verbose=False)
    boto3 = pytest.importorskip("boto3")
    server.start()
    address = f"http://{LOCALHOST}:{server.get_host_and_port()[1]}"
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.startswith("AWS_"):
                patch.delenv(name)
        patch.setenv("AWS_ENDPOINT_URL", address)
        patch.setenv("AWS_ACCESS_KEY_ID", "key")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
        patch.setenv("AWS_REGION", "us-east-1")
        patch.setenv("AWS_ALLOW_HTTP", "true")
        client = boto3.client("s3", region_name="us-east-1")
        client.create_bucket(Bucket="posts")

        def put(name, data):
            client.put_object(Bucket="posts", Key=name, Body=data)

        for name in NAMES:
            put(name, contents(name))
        put("many/1.csv", contents("a.csv"))
        put("many/2.csv", b"text,day\nnew seats,2.1.2025\n")
        put("bad/latin1.csv", b"id,text\n1,caf\xe9\n")
        put("bad/wide.csv", b"id,text\n1,a,b\n")
        put("bad/empty.csv", b"")
        put("bad/no.parquet", b"this is no parquet file")
        put("bad/nested.jsonl", b'{"text": "[x]"}\n{"text": ["x"]}\n')
        yield "s3://posts"
    server.stop()


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves files, and some errors."""

    def log_message(self, *_):
        pass

    def do_GET(self):
        if self.path.startswith("/secret"):
            self.send_error(403)
        elif self.path.startswith("/short"):
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b"text\nlate train\n")
        else:
            super().do_GET()


@pytest.fixture(scope="module")
def website(tmp_path_factory):
    """The address of a web server with some files."""
    folder = tmp_path_factory.mktemp("www")
    for name in NAMES:
        (folder / name).write_bytes(contents(name))
    (folder / "wide.csv").write_bytes(b"id,text\n1,a,b\n")
    many = pl.DataFrame({"text": [f"late train {i % 99}" for i in range(200_000)]})
    many.write_csv(folder / "many.csv")
    handler = partial(Handler, directory=folder)
    with http.server.ThreadingHTTPServer((LOCALHOST, 0), handler) as server:
        threading.Thread(target=server.serve_forever).start()
        yield f"http://{LOCALHOST}:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("place", ["bucket", "website"])
def test_files_are_read_at_their_address(request, place, name):
    address = f"{request.getfixturevalue(place)}/{name}"
    has_times = "txt" not in name
    corpus = read(address, time="day" if has_times else None, keep_texts=True)
    assert corpus.texts.to_list() == TABLE["text"].to_list()
    if has_times:
        assert corpus.times.dt.strftime("%Y-%m-%d").to_list() == ["2024-12-31", "2025-01-01"]
    batches = read_batches(address, vocabulary=["late", "seats"])
    assert sum(len(batch.tokens) for batch in batches) == 2


def test_patterns_of_a_store_are_read_in_order(bucket, tmp_path):
    corpus = read(f"{bucket}/many/*.csv", text="text", keep_texts=True)
    assert corpus.texts.to_list() == ["late train", "dirty seats", "new seats"]
    (tmp_path / "local.txt").write_text("old seats\n")
    assert len(read(tmp_path / "local.txt", f"{bucket}/a.parquet")) == 3


def test_queries_are_no_part_of_the_name(website):
    assert len(read(f"{website}/a.csv?download=1.zip", text="text")) == 2


def test_large_files_of_servers_are_read_in_batches(website):
    sizes = [len(batch) for batch in read_batches(f"{website}/many.csv", vocabulary=["late"])]
    assert len(sizes) > 1
    assert sum(sizes) == 200_000


@pytest.mark.parametrize(
    ("place", "name", "kind", "message"),
    [
        ("bucket", "no.csv", FileNotFoundError, "does not exist"),
        ("bucket", "no.parquet", FileNotFoundError, "does not exist"),
        ("bucket", "no*.csv", FileNotFoundError, "does not exist"),
        ("bucket", "bad/latin1.csv", InputError, "not UTF-8; download the file, or convert it"),
        ("bucket", "bad/wide.csv", InputError, r"line 2 has 3 fields"),
        ("bucket", "bad/empty.csv", InputError, "the file is empty"),
        ("bucket", "bad/no.parquet", InputError, "not a valid parquet file"),
        ("bucket", "bad/nested.jsonl", InputError, "has lists or objects in row 1 .line 2."),
        ("bucket", "a.docx", InputError, "cannot tell the format"),
        ("website", "no.csv", FileNotFoundError, "no.csv does not exist"),
        ("website", "secret.csv", InputError, "the server answers 403 Forbidden; download"),
        ("website", "short.csv", InputError, "cannot be reached .the connection ended early"),
        ("website", "wide.csv", InputError, r"line 2 has 3 fields"),
        ("website", "a.docx", InputError, "cannot tell the format"),
    ],
)
def test_errors_name_the_address_in_one_line(request, place, name, kind, message):
    address = f"{request.getfixturevalue(place)}/{name}"
    with pytest.raises(kind, match=message) as error:
        read(address, text=None if "parquet" in name else "text")
    assert "\n" not in str(error.value)
    assert address in str(error.value)


@pytest.mark.parametrize(
    ("address", "environment", "message"),
    [
        (f"http://{LOCALHOST}:9/a.csv", {}, "cannot be reached .*Connection refused"),
        (
            "s3://posts/a.csv",
            {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"},
            "cannot be reached .*Connection refused",
        ),
        (
            "s3://posts/a.csv",
            {},
            "access denied; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment",
        ),
    ],
)
def test_servers_that_do_not_answer_are_one_line(address, environment, message):
    nowhere = f"http://{LOCALHOST}:9"
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    environment = kept | environment
    environment |= {"AWS_ENDPOINT_URL": nowhere, "AWS_METADATA_ENDPOINT": nowhere}
    environment |= {"AWS_REGION": "us-east-1", "AWS_EC2_METADATA_DISABLED": "true"}
    environment |= {"AWS_CONFIG_FILE": os.devnull, "AWS_SHARED_CREDENTIALS_FILE": os.devnull}
    environment |= {"AWS_ALLOW_HTTP": "true", "POLARS_CLOUD_MAX_RETRIES": "0"}
    arguments = ("fit", address, "--text", "text", "--out", "model")
    done = subprocess.run(
        [sys.executable, "-m", "bittern", *arguments],
        capture_output=True,
        text=True,
        env=environment,
    )
    (line,) = done.stderr.splitlines()
    assert done.returncode == 2
    assert line.startswith(f"bittern: {address}: ")
    pl.Series([line]).str.contains(message).item() or pytest.fail(line)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (OSError("object-store error: 403 Forbidden"), "access denied; set GOOGLE_APPL"),
        (PermissionError("no"), "access denied"),
        (OSError("something\n\nCaused by:\n    dns error"), r"cannot be reached \(dns error\)"),
        (pl.exceptions.ComputeError("invalid utf-8 sequence"), "not UTF-8"),
        (FileNotFoundError("no"), "does not exist"),
    ],
)
def test_errors_of_stores_are_explained(error, message):
    found = explain_stored("gs://posts/a.csv", error)
    assert pl.Series([str(found)]).str.contains(message).item()
    assert explain_stored("gs://posts/a.csv", pl.exceptions.ComputeError("wrong")) is None


def test_addresses_are_told_from_names_and_texts(bucket, tmp_path):
    assert all(map(is_stored, ["s3://a/b", "gs://a", "az://a", "abfs://a", "hf://datasets/a"]))
    assert all(map(is_served, ["http://a", "HTTPS://a/b.csv"]))
    assert not any(map(is_remote, ["a.csv", "s3:/a", "/a://b", None, tmp_path, "ftp://a/b.csv"]))
    addresses = [f"{bucket}/a.csv", f"{bucket}/many/2.csv"]
    assert [part.source for part in find_partitions(addresses, Columns())] == addresses
    columns = Columns("text")
    (rows,) = find_partitions(addresses, columns)[0].read("text")
    assert rows["text"].to_list() == TABLE["text"].to_list()
    texts = ["https://example.org/", "late train"]
    assert find_partitions(texts, Columns())[0].frame["text"].to_list() == texts
