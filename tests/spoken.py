"""Short texts about five subjects in Chinese, Japanese, Thai and German, made of templates.

Sentences of all subjects start and end with the same phrases, and the German ones have inflected
forms of the same words.
"""

from typing import NamedTuple

import numpy as np


class Subject(NamedTuple):
    """What is said about a subject: {0} and {1} are filled with a first and a second thing."""

    templates: list[str]
    first: list[str]
    second: list[str]


class Language(NamedTuple):
    """Phrases around all sentences, and the subjects."""

    starts: list[str]
    ends: list[str]
    subjects: dict[str, Subject]


CHINESE = Language(
    ["我觉得", "昨天", "说实话，", "今天", "这次", "朋友说", "", "上个月", "没想到", "其实"],
    [
        "。",
        "！",
        "，真的很满意。",
        "，下次还会再来。",
        "，有点失望。",
        "，希望能改进。",
        "，大家怎么看？",
    ],
    {
        "food": Subject(
            [
                "{0}的{1}很好吃",
                "我们在{0}点了{1}",
                "{0}的{1}太辣了，味道一般",
                "这家{0}的厨师做的{1}非常新鲜",
                "去{0}吃{1}，味道不错",
                "{0}的服务员推荐了{1}，味道很香",
            ],
            ["餐厅", "饭店", "小吃店", "火锅店", "面馆", "食堂"],
            ["牛肉面", "饺子", "烤鸭", "豆腐", "米饭", "鸡汤", "海鲜", "蔬菜", "包子"],
        ),
        "travel": Subject(
            [
                "{0}又晚点了，我在{1}等了很久",
                "从{1}坐{0}去上海要五个小时",
                "{0}的车票很难买，{1}里人很多",
                "我在{1}错过了{0}",
                "坐{0}的乘客都挤在{1}",
                "{0}的座位很舒服，{1}也很干净",
            ],
            ["火车", "高铁", "地铁", "公交车", "飞机"],
            ["车站", "机场", "站台", "候车室", "车厢"],
        ),
        "phones": Subject(
            [
                "新{0}的{1}非常清晰",
                "我的{0}坏了，{1}需要更换",
                "{0}的{1}太小，充电很慢",
                "{0}升级以后{1}更快了",
                "买了一台{0}，{1}和系统都很流畅",
                "{0}的{1}有问题，软件经常死机",
            ],
            ["手机", "电脑", "平板", "笔记本"],
            ["屏幕", "电池", "键盘", "摄像头", "内存", "软件"],
        ),
        "sports": Subject(
            [
                "{0}在比赛中打败了{1}",
                "{0}的进球让{1}输掉了冠军",
                "教练让{0}参加{1}的训练",
                "{0}受伤了，不能参加{1}的比赛",
                "球迷为{0}和{1}加油",
                "{0}在决赛中赢了{1}，拿到冠军",
            ],
            ["球队", "队员", "守门员", "球员", "主队"],
            ["对手", "客队", "国家队", "联赛", "足球队"],
        ),
        "health": Subject(
            [
                "医生说我的{0}需要{1}",
                "{0}疼了三天，去医院做了{1}",
                "护士给病人的{0}做{1}",
                "{0}不舒服，吃了药，又做了{1}",
                "手术以后{0}恢复得很好，不用再{1}",
                "医院的医生检查了{0}，建议{1}",
            ],
            ["头", "胃", "心脏", "膝盖", "眼睛", "牙齿"],
            ["检查", "治疗", "打针", "吃药", "住院", "手术"],
        ),
    },
)

JAPANESE = Language(
    [
        "昨日、",
        "正直に言うと、",
        "今日は",
        "友達によると、",
        "",
        "先週、",
        "やっぱり",
        "実は",
        "今回は",
    ],
    ["。", "！", "と思います。", "ようです。", "ので、少し残念です。", "から、とても嬉しいです。"],
    {
        "food": Subject(
            [
                "{0}で食べた{1}が美味しかった",
                "{0}の{1}は味が薄かった",
                "{0}の店員が{1}をおすすめしてくれた",
                "家族と{0}で{1}を注文した",
                "{0}の料理は{1}が一番美味しい",
                "{0}の{1}は値段が高いけど味がいい",
            ],
            ["レストラン", "食堂", "居酒屋", "寿司屋", "喫茶店"],
            ["ラーメン", "寿司", "天ぷら", "カレー", "味噌汁", "焼き魚", "うどん", "デザート"],
        ),
        "travel": Subject(
            [
                "{0}が遅れて{1}で一時間も待った",
                "{1}で{0}に乗り換えた",
                "{0}の切符を{1}で買った",
                "{0}が混んでいて{1}まで座れなかった",
                "{1}から{0}に乗って大阪まで行った",
                "事故のため{0}が{1}で止まっていた",
            ],
            ["電車", "新幹線", "バス", "地下鉄", "飛行機"],
            ["駅", "空港", "ホーム", "改札", "停留所"],
        ),
        "phones": Subject(
            [
                "新しい{0}の{1}がとてもきれいだ",
                "{0}の{1}が壊れて修理に出した",
                "{0}の{1}がすぐに切れて充電が必要だ",
                "{0}を更新したら{1}が速くなった",
                "{0}の{1}の設定がわからない",
                "この{0}は{1}の性能が高い",
            ],
            ["スマホ", "パソコン", "タブレット", "携帯電話"],
            ["画面", "バッテリー", "キーボード", "カメラ", "アプリ", "メモリ"],
        ),
        "sports": Subject(
            [
                "{0}が試合で{1}に勝った",
                "{0}のゴールで{1}が負けた",
                "監督は{0}を{1}との決勝で使わなかった",
                "怪我をした{0}は{1}との試合に出られなかった",
                "ファンは{0}と{1}の試合を応援した",
                "{0}は{1}との決勝で優勝した",
            ],
            ["選手", "チーム", "キーパー", "代表", "投手"],
            ["相手", "ライバル", "日本代表", "優勝候補", "強豪チーム"],
        ),
        "health": Subject(
            [
                "医者に{0}の{1}が必要だと言われた",
                "{0}が痛くて病院で{1}を受けた",
                "看護師が患者の{0}の{1}をした",
                "{0}の調子が悪いので薬を飲んで{1}をした",
                "{0}の手術の後で{1}を続けている",
                "病院の先生が{0}の{1}をすすめた",
            ],
            ["頭", "胃", "心臓", "膝", "目", "歯", "腰"],
            ["検査", "治療", "注射", "手術", "診察", "入院"],
        ),
    },
)

THAI = Language(
    ["เมื่อวาน", "จริงๆ แล้ว", "วันนี้", "เพื่อนบอกว่า", "", "เดือนที่แล้ว", "คิดว่า", "ครั้งนี้"],
    ["ครับ", "ค่ะ", "มากเลย", "จริงๆ", "", "นะคะ", "อีกแล้ว"],
    {
        "food": Subject(
            [
                "{0}นี้ทำ{1}อร่อย",
                "เราสั่ง{1}ที่{0}",
                "{1}ของ{0}เผ็ดเกินไป",
                "พนักงานใน{0}แนะนำ{1}รสชาติดี",
                "ไปกิน{1}ที่{0}กับครอบครัว",
                "แม่ครัวของ{0}ทำ{1}รสชาติหวาน",
            ],
            ["ร้านอาหาร", "ภัตตาคาร", "โรงอาหาร", "ร้านก๋วยเตี๋ยว"],
            ["ส้มตำ", "ข้าวผัด", "ต้มยำ", "แกงเขียวหวาน", "ไก่ย่าง", "ก๋วยเตี๋ยว", "ขนม"],
        ),
        "travel": Subject(
            [
                "{0}มาช้า ต้องรอที่{1}นาน",
                "ซื้อตั๋ว{0}ที่{1}",
                "{0}แน่นมาก ผู้โดยสารยืนที่{1}",
                "เดินทางด้วย{0}จาก{1}ไปเชียงใหม่",
                "ตก{0}เพราะ{1}คนเยอะ",
                "ผู้โดยสาร{0}รอที่{1}ตั้งแต่เช้า",
            ],
            ["รถไฟ", "รถไฟฟ้า", "รถเมล์", "เครื่องบิน", "รถตู้"],
            ["สถานี", "สนามบิน", "ชานชาลา", "ป้ายรถเมล์"],
        ),
        "phones": Subject(
            [
                "{1}ของ{0}เครื่องใหม่ชัด",
                "{0}เสีย ต้องเปลี่ยน{1}",
                "{1}ของ{0}หมดเร็ว ต้องชาร์จบ่อย",
                "อัปเดต{0}แล้ว{1}เร็วขึ้น",
                "ซ่อม{1}ของ{0}ที่ร้าน ราคาแพง",
                "{0}เครื่องนี้{1}ไม่ทำงาน",
            ],
            ["โทรศัพท์", "คอมพิวเตอร์", "แท็บเล็ต", "มือถือ"],
            ["หน้าจอ", "แบตเตอรี่", "แป้นพิมพ์", "กล้อง", "โปรแกรม", "ลำโพง"],
        ),
        "sports": Subject(
            [
                "{0}ชนะ{1}ในการแข่งขัน",
                "{0}ยิงประตูทำให้{1}แพ้",
                "โค้ชให้{0}ฝึกซ้อมก่อนแข่งกับ{1}",
                "{0}บาดเจ็บ ลงแข่งกับ{1}ไม่ได้",
                "แฟนบอลเชียร์{0}แข่งกับ{1}",
                "{0}ได้แชมป์หลังชนะ{1}ในรอบชิงชนะเลิศ",
            ],
            ["ทีม", "นักฟุตบอล", "ผู้รักษาประตู", "นักกีฬา"],
            ["คู่แข่ง", "ทีมชาติ", "ทีมเยือน", "แชมป์เก่า"],
        ),
        "health": Subject(
            [
                "หมอบอกว่า{0}ต้อง{1}",
                "ปวด{0} ไปโรงพยาบาลเพื่อ{1}",
                "พยาบาลช่วย{1}{0}ของคนไข้",
                "{0}เจ็บ กินยาแล้วต้อง{1}",
                "หมอที่โรงพยาบาลแนะนำให้{1}{0}",
                "คนไข้ป่วยที่{0} หมอจึง{1}",
            ],
            ["ศีรษะ", "ท้อง", "หัวใจ", "เข่า", "ดวงตา", "ฟัน"],
            ["ผ่าตัด", "รักษา", "ฉีดยา", "ตรวจ"],
        ),
    },
)

GERMAN = Language(
    ["Gestern", "Leider", "Heute", "Diesmal", "Am Montag", "Zum Glück", "Im letzten Jahr", "Oft"],
    ["", ", das war schön", ", wirklich ärgerlich", ", wie immer", " und alle waren zufrieden"],
    {
        "food": Subject(
            [
                "schmeckte {1} in {0} wunderbar",
                "bestellten wir {1} bei {0}",
                "kochten die Köche aus {0} {1}",
                "haben die Kellner {0} uns {1} empfohlen",
                "aßen wir in {0} {1} und tranken Wein",
                "kocht der Koch {0} für die Gäste {1}",
            ],
            ["dem Restaurant", "den Restaurants", "der Küche", "dem Gasthaus", "den Küchen"],
            [
                "Suppe",
                "Suppen",
                "Kartoffeln",
                "frisches Brot",
                "Fisch",
                "Kuchen",
                "Nudeln",
                "Pilze",
            ],
        ),
        "travel": Subject(
            [
                "verspätete sich {0} an {1}",
                "fuhren {0} ohne Halt durch {1}",
                "warteten die Fahrgäste auf {0} an {1}",
                "wartete ein Fahrgast an {1} auf {0}",
                "fährt {0} verspätet von {1} ab",
                "kauften wir Fahrkarten für {0} an {1}",
            ],
            ["der Zug", "die Züge", "den Zug", "die Busse", "der Bus", "die Straßenbahnen"],
            ["dem Bahnhof", "den Bahnhöfen", "dem Bahnsteig", "den Bahnsteigen", "der Haltestelle"],
        ),
        "phones": Subject(
            [
                "zerbrach {1} von {0}",
                "reparierten sie {1} an {0}",
                "lud {1} in {0} nicht mehr",
                "repariert die Werkstatt {0} samt {1}",
                "installierten wir Programme auf {0} und luden {1}",
                "installiert sie ein Programm für {1} auf {0}",
            ],
            ["dem Handy", "den Handys", "meinem Computer", "den Computern", "dem Tablet"],
            [
                "der Bildschirm",
                "die Bildschirme",
                "der Akku",
                "die Akkus",
                "die Tastatur",
                "Kameras",
            ],
        ),
        "sports": Subject(
            [
                "besiegte {0} {1} im Finale",
                "schossen {0} drei Tore gegen {1}",
                "schoss {0} ein Tor gegen {1}",
                "trainierten {0} für das Spiel gegen {1}",
                "trainiert {0} vor den Spielen gegen {1}",
                "gewannen {0} die Spiele gegen {1}",
            ],
            ["die Mannschaft", "die Mannschaften", "der Spieler", "die Spieler", "der Torwart"],
            ["den Gegner", "die Gegner", "den Meister", "die Vereine", "den Verein"],
        ),
        "health": Subject(
            [
                "untersuchte der Arzt {0} und verschrieb {1}",
                "untersuchten die Ärzte {0} im Krankenhaus",
                "operierten die Ärzte {0} und gaben {1}",
                "schmerzten {0} trotz {1}",
                "schmerzt {0} den Patienten ohne {1}",
                "behandeln Krankenhäuser {0} mit {1}",
            ],
            ["das Knie", "die Knie", "der Zahn", "die Zähne", "das Herz", "den Rücken"],
            ["Tabletten", "eine Tablette", "Spritzen", "eine Spritze", "Salben", "Medikamente"],
        ),
    },
)


def spoken_texts(language, n=80, seed=0):
    """Return n sentences about each subject in random order, and their subjects."""
    rng = np.random.default_rng(seed)
    pairs = [
        (_sentence(rng, language, subject), name)
        for name, subject in language.subjects.items()
        for _ in range(n)
    ]
    order = rng.permutation(len(pairs))
    texts, labels = zip(*(pairs[i] for i in order), strict=True)
    return list(texts), list(labels)


def _sentence(rng, language, subject):
    start, template, end = map(rng.choice, (language.starts, subject.templates, language.ends))
    body = template.format(rng.choice(subject.first), rng.choice(subject.second))
    space = " " if language is GERMAN else ""
    return f"{start}{space}{body}{end}"
