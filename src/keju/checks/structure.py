"""Rules F0, F1 and F4: the members of an item, as the readers met them. `files`, `folders` and `ids` look further."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from keju.benchmark import Benchmark
from keju.checks.finding import Finding
from keju.checks.problems import met
from keju.checks.rule import Group, Rule
from keju.errors import MissingExtra
from keju.phrase import Phrase, listed

GROUP = Group()
_MEMBERS = '000 "Data Organization"'
_SCRIPTS = '000 "Quality Assurance and Validation"'
_FIELDS = "001 §2, Table 1"


@GROUP.rule(
    "F000",
    "media-not-looked-at",
    "note",
    "benchmark",
    title=Phrase("pictures and sounds were not looked at", "没有检查图片和音频"),
    why=Phrase(
        "Rules on media need decoders that are not installed; without them a broken picture is not found.",
        "媒体规则需要解码器；解码器没有安装，就发现不了损坏的图片和音频。",
    ),
    good="pip install 'keju[checks]'",
    bad="keju without the extra `checks`",
)
def _said_by_the_driver(_benchmark: Benchmark, _rule: Rule) -> Iterable[Finding]:
    return ()


def not_looked_at(rules: Sequence[Rule], missing: MissingExtra) -> Finding:
    """The note that stands for the rules on media where their decoders are not installed."""
    rule = next(rule for rule in GROUP.rules if rule.code == "F000")
    codes = listed([each.code for each in rules], 6)
    return rule.finding(
        Phrase(f"not checked: {codes}", f"未检查：{codes.zh}"),
        Phrase("install the decoders: pip install 'keju[checks]'", "请安装解码器：pip install 'keju[checks]'"),
        reason=str(missing),
    )


met(
    GROUP,
    "F001",
    "reader-remark",
    "warning",
    title=Phrase("the reader remarked on something", "读取时发现的其他情况"),
    why=Phrase(
        "Something in the files is not as the format has it, and no other rule speaks of it.",
        "文件中有不合格式之处，而其他规则没有提到。",
    ),
    good="a file as docs/formats.md describes it",
    bad="a file that is read with a remark",
    remedy=Phrase("look at the place and correct it as the message says", "请查看该处，按提示改正"),
)


met(
    GROUP,
    "F101",
    "question-missing",
    "error",
    "question_missing",
    title=Phrase("an item has no question", "题目缺少题干文件"),
    why=Phrase("Without its question the item cannot be asked, so it is left out.", "没有题干就无法出题，该题被略去。"),
    good="0001.md beside 0001.txt and 0001.png",
    bad="0001.txt and 0001.png without 0001.md",
    paper=_MEMBERS,
    remedy=Phrase(
        "add the question, or remove the item's other files if the item was dropped",
        "请补上题干；如果该题已经删去，请把它的其他文件也删掉",
    ),
)


met(
    GROUP,
    "F102",
    "answer-missing",
    "error",
    "answer_missing",
    title=Phrase("an item has no answer file", "题目缺少答案文件"),
    why=Phrase("Without its key no reply can be marked, so the item is left out.", "没有答案就无法判分，该题被略去。"),
    good="0001.txt that holds C",
    bad="0001.md without 0001.txt",
    paper=_MEMBERS,
    remedy=Phrase(
        "add a text file with the one capital letter of the right option", "请补上答案文件，其中只写正确选项的大写字母"
    ),
)


met(
    GROUP,
    "F103",
    "media-missing",
    "error",
    "media_missing",
    title=Phrase("a picture or sound is not there", "缺少图片或音频"),
    why=Phrase(
        "A model would be asked about a picture that it never sees; such an item is counted as failed.",
        "模型看不到图片却要回答，这样的题只能算作失败。",
    ),
    good="images/01-R-A-P1-001.png lies where the item says",
    bad="the item names images/01-R-A-P1-001.png and there is no such file",
    paper="001 §2.1 Completeness Check",
    remedy=Phrase(
        "put the file where the item says, or correct its name there", "请把文件放到题目所写的位置，或改正文件名"
    ),
)


met(
    GROUP,
    "F104",
    "member-twice",
    "warning",
    "member_twice",
    title=Phrase("an item has two files of one kind", "同一题有两个同类文件"),
    why=Phrase("Only one of the two is used, and it may be the wrong one.", "两个文件只用其中一个，用错了也不会报错。"),
    good="0001.png",
    bad="0001.png and 0001.jpg",
    paper=_MEMBERS,
    remedy=Phrase("keep the right one and remove the other", "请保留正确的一个，删除另一个"),
)


met(
    GROUP,
    "F105",
    "stray-file",
    "warning",
    "stray_file",
    title=Phrase("a file belongs to no item", "文件不属于任何题目"),
    why=Phrase(
        "It may be a part of an item under a wrong name, and it would be published with the rest.",
        "它可能是某题的文件而名字写错了，发布时也会一并带出。",
    ),
    good="a folder of items, split lists, labels.csv and README.md",
    bad="new folder (2).docx",
    paper=_SCRIPTS,
    remedy=Phrase("rename it to its item's number, or move it out of the folder", "请按题号改名，或移出该文件夹"),
)


met(
    GROUP,
    "F108",
    "file-unreadable",
    "error",
    "file_unreadable",
    title=Phrase("a file cannot be read", "文件无法读取"),
    why=Phrase("The system refuses the file, so nothing is known of what it says.", "系统拒绝读取，内容无从得知。"),
    good="a file that opens",
    bad="a file without permission to read it",
    remedy=Phrase("open the file once, set its permissions or copy it again", "请试着打开该文件，修改权限或重新复制"),
)


met(
    GROUP,
    "F109",
    "path-escape",
    "error",
    "path_escape",
    title=Phrase("a path leads out of the benchmark's folder", "路径指向文件夹之外"),
    why=Phrase(
        "Elsewhere the file is not there, and a benchmark of strangers could send your own files to a model.",
        "换一台电脑文件就不在了；来历不明的题库还可能借此把您自己的文件发给模型。",
    ),
    good="images/0001.png",
    bad="../../photos/0001.png, or a link that points there",
    remedy=Phrase(
        "copy the file into the folder and name it by its path there", "请把文件复制到文件夹内，并写文件夹内的路径"
    ),
)


met(
    GROUP,
    "F110",
    "worksheet-not-read",
    "note",
    "sheet_ignored",
    title=Phrase("a worksheet was not read", "有工作表未读取"),
    why=Phrase("Only the first worksheet that is not empty is read.", "只读取第一张非空的工作表。"),
    good="one worksheet with all the items",
    bad="a workbook with items on Sheet1 and Sheet2",
    remedy=Phrase(
        "if it holds items, move them to the first worksheet; else remove it",
        "如果其中有题目，请移到第一张工作表；否则请删除该表",
    ),
)


met(
    GROUP,
    "F111",
    "cell-not-text",
    "error",
    "cell_not_text",
    title=Phrase("a cell does not hold what was typed", "单元格内容已被表格软件改变"),
    why=Phrase(
        "Spreadsheets turn texts such as 1-2 into dates; what the author meant is lost.",
        "表格软件会把“1-2”之类的内容变成日期，作者的原意就丢失了。",
    ),
    good="a column formatted as text",
    bad="an option that became 2-Jan or #NAME?",
    remedy=Phrase("format the column as text and type the cell again", "请把该列设为“文本”格式，重新输入该单元格"),
)


met(
    GROUP,
    "F112",
    "id-missing",
    "error",
    "id_missing",
    title=Phrase("an item has no id", "题目没有编号"),
    why=Phrase("Answers and marks are kept by id, so the item is left out.", "作答和评分都按编号记录，该题被略去。"),
    good='"id": "01-L-A-P1-001"',
    bad='"id": ""',
    paper=_FIELDS,
    remedy=Phrase("give the item an id that no other has", "请给该题一个不重复的编号"),
)


met(
    GROUP,
    "F113",
    "name-spelling",
    "warning",
    "name_width",
    "unicode_form",
    title=Phrase("a name is spelt in two ways that look alike", "文件名看起来相同，实际写法不同"),
    why=Phrase(
        "Full-width digits, or accents in another form, look the same to people; other programs do not find the file.",
        "全角数字等写法肉眼难辨，其他程序会找不到文件。",
    ),
    good="0001.png",
    bad="０００１.png",
    paper=_SCRIPTS,
    remedy=Phrase("rename the file in plain half-width characters", "请用半角字符重新命名该文件"),
)


met(
    GROUP,
    "F114",
    "backslash-path",
    "warning",
    "backslash_path",
    title=Phrase("a path is written with backslashes", "路径使用了反斜杠"),
    why=Phrase(
        "Only Windows reads it; elsewhere the file is not found.", "只有 Windows 认得这种路径，其他系统会找不到文件。"
    ),
    good="images/0001.png",
    bad="images\\0001.png",
    remedy=Phrase("write / instead of \\", "请把 \\ 改成 /"),
)


met(
    GROUP,
    "F115",
    "null-form",
    "warning",
    "null_form",
    title=Phrase("“nothing” is written as a text", "“无”写成了文字"),
    why=Phrase("Other programs look for a file of that name.", "其他程序会去找叫这个名字的文件。"),
    good='"audio": null',
    bad='"audio": "None"',
    paper=_FIELDS,
    remedy=Phrase("write null, without quotation marks", "请写 null，不加引号"),
)


met(
    GROUP,
    "F116",
    "rows-passed-over",
    "note",
    "rows_filtered",
    title=Phrase("rows were passed over on purpose", "有意跳过了一些行"),
    why=Phrase(
        "Only a part of the rows is read, as the mapping says or the file that was named; N is their number.",
        "映射只读取一部分行，或只指定了整套文件中的一个；题数是这一部分的题数。",
    ),
    good="a mapping without [where]",
    bad='a mapping with [where] that keeps "multi-choice"',
    remedy=Phrase("nothing, if these are the rows that are meant", "如果本来就只要这些行，无需处理"),
)


met(
    GROUP,
    "F401",
    "json-disagrees",
    "warning",
    "json_disagrees",
    title=Phrase("the JSON says something else than the item's files", "JSON 与题目文件不一致"),
    why=Phrase(
        "Question and answer file are what counts; whoever reads the JSON takes another exam.",
        "以题干和答案文件为准；读取 JSON 的人考的就是另一份题。",
    ),
    good='0001.txt holds C and 0001.json says "answer": "C"',
    bad='0001.txt holds C and 0001.json says "answer": "B"',
    paper='000 "Data Records", "Evaluation Setup"',
    remedy=Phrase("find out which is right, then correct the other", "请确认哪一个正确，再改正另一个"),
)


met(
    GROUP,
    "F402",
    "json-unreadable",
    "warning",
    "json_unreadable",
    title=Phrase("an item's JSON cannot be read", "题目的 JSON 无法读取"),
    why=Phrase("Translations and other fields in it are lost.", "其中的译文和其他字段都会丢失。"),
    good='{"id": "0001", "answer": "C"}',
    bad='{"id": "0001", "answer": "C",',
    paper='000 "Data Records"',
    remedy=Phrase(
        "correct the place that the message names: often a comma, a bracket or a curly quotation mark",
        "请改正所指出的位置：常见的是多了或少了逗号、括号，或用了中文引号",
    ),
)


met(
    GROUP,
    "F403",
    "labels-missing",
    "warning",
    "labels_missing",
    title=Phrase("the side table has no row for some items", "标签表缺少部分题目"),
    why=Phrase("Breakdowns by label miss these items.", "按标签统计时会漏掉这些题。"),
    good="labels.csv with a row for each id",
    bad="labels.csv that ends at 0990",
    remedy=Phrase("add their rows", "请补上这些题的行"),
)


met(
    GROUP,
    "F405",
    "labels-unfit",
    "error",
    "labels_unfit",
    title=Phrase("a row of the side table fits no item", "标签表中有对不上题目的行"),
    why=Phrase(
        "Its labels would go to no item or to the wrong one, so other commands refuse the benchmark.",
        "这一行的标签无处可放，或会放错题目，所以其他命令会拒绝读取该题库。",
    ),
    good="labels.csv with one row for each id",
    bad="a row for 9999, where the last item is 1000; or 1 for 0001",
    remedy=Phrase("correct the id as the message says, or remove the row", "请按提示改正编号，或删去这一行"),
)


met(
    GROUP,
    "F404",
    "task-unknown",
    "warning",
    "task_unknown",
    profile="multi-tw",
    title=Phrase("no task type is known for an instruction", "无法从作答说明判断题型"),
    why=Phrase("The breakdown by task type misses this item.", "按题型统计时会漏掉该题。"),
    good="an instruction of the table in docs/formats.md",
    bad="an instruction with another wording",
    paper=_FIELDS,
    remedy=Phrase("correct the instruction, or add it to tasks.toml", "请改正作答说明，或把它加进 tasks.toml"),
)
