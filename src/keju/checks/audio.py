"""Rules A: whether a clip can be played, heard, and is of the kind the benchmark promises."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import quantiles

from keju.checks.finding import Finding
from keju.checks.images import suffix_finding
from keju.checks.measuring import MeasuredClip, MeasuredImage
from keju.checks.rule import Group, Rule
from keju.phrase import Phrase

GROUP = Group()

_AGAIN = Phrase(
    "play the clip; if it does not play to its end, export or download it again and replace the file",
    "请播放音频；若无法完整播放，请重新导出或下载并替换该文件",
)
_LISTEN = Phrase(
    "listen to it; if it is not what it should be, record or cut it again", "请试听；若不符合预期，请重新录制或截取"
)


@GROUP.rule(
    "A001",
    "clip-unreadable",
    "error",
    "audio",
    title=Phrase("the file is no sound or a damaged one", "文件不是音频，或已损坏"),
    why=Phrase(
        "No model can hear it: a server refuses the request or the model guesses.",
        "模型听不到它：服务器会拒绝请求，或模型只能瞎猜。",
    ),
    good="0001.mp3 that plays",
    bad="0001.mp3 that holds tags and no sound",
)
def _unreadable(clip: MeasuredClip, rule: Rule) -> Iterator[Finding]:
    facts = clip.clip
    if facts.trouble in ("unknown", "damaged"):
        message = Phrase(f"not a readable clip: {facts.reason}", f"不是可读取的音频：{facts.reason.zh}")
        yield rule.finding(message, _AGAIN, **clip.where, reason=facts.reason, mime=facts.mime)


@GROUP.rule(
    "A002",
    "clip-empty",
    "error",
    "audio",
    title=Phrase("the clip is empty", "音频为空"),
    why=Phrase(
        "A failed download or export leaves a file without a byte, or a header without sound.",
        "下载或导出失败会留下没有任何字节的文件，或只有文件头而没有声音。",
    ),
    good="0001.mp3 of 20 seconds",
    bad="0001.wav of 44 bytes: a header and nothing behind it",
)
def _empty(clip: MeasuredClip, rule: Rule) -> Iterator[Finding]:
    facts = clip.clip
    if facts.trouble in ("empty", "no-sound"):
        message = Phrase(f"it holds no sound ({facts.bytes} bytes)", f"没有声音内容（{facts.bytes} 字节）")
        remedy = Phrase("download or export the clip again and replace the file", "请重新下载或导出音频并替换该文件")
        yield rule.finding(message, remedy, **clip.where, bytes=facts.bytes)


@GROUP.rule(
    "A003",
    "clip-cut-short",
    "error",
    "audio",
    title=Phrase("the file holds less sound than its header says", "文件中的声音比文件头所说的短"),
    why=Phrase(
        "Players show the full length and stop in the middle; the question may lie in what is missing.",
        "播放器显示完整时长却中途停止；题目可能就在缺失的部分。",
    ),
    good="a header of 20.0 s and 20.0 s of sound",
    bad="a header of 264 s in a file of 1,000 bytes",
)
def _cut(clip: MeasuredClip, rule: Rule) -> Iterator[Finding]:
    facts = clip.clip
    if facts.trouble == "cut":
        stated = facts.stated or 0.0
        yield rule.finding(
            Phrase(f"part of it is missing: {facts.reason}", f"音频不完整：{facts.reason.zh}"),
            _AGAIN,
            **clip.where,
            seconds=facts.seconds,
            stated=stated,
        )


@GROUP.rule(
    "A004",
    "clip-too-large",
    "error",
    "audio",
    title=Phrase("the clip is too large to open", "音频过大，无法打开"),
    why=Phrase(
        "Hours of sound are no question of an exam; no model takes them.",
        "几个小时的音频不是一道考题，也没有模型接受。",
    ),
    good="30 seconds",
    bad="a file of 300 MB",
)
def _too_large(clip: MeasuredClip, rule: Rule) -> Iterator[Finding]:
    facts = clip.clip
    if facts.trouble == "too-large":
        message = Phrase(f"too large, not opened: {facts.reason}", f"文件过大，未打开：{facts.reason.zh}")
        remedy = Phrase("cut out what the question is about", "请只截取题目所问的部分")
        yield rule.finding(message, remedy, **clip.where, bytes=facts.bytes)


@GROUP.rule(
    "A005",
    "clip-breaks-decoder",
    "error",
    "audio",
    title=Phrase("the decoder broke down on the file", "解码器在该文件上崩溃"),
    why=Phrase(
        "A file that kills a decoder or keeps it busy for a minute is damaged or made to do harm.",
        "能让解码器崩溃或卡住一分钟的文件，要么已损坏，要么是恶意制作的。",
    ),
    good="a clip that opens in milliseconds",
    bad="a clip at which the program stops",
)
def _breaks(clip: MeasuredClip, rule: Rule) -> Iterator[Finding]:
    facts = clip.clip
    if facts.trouble == "broke-down":
        message = Phrase(f"it cannot be checked: {facts.reason}", f"无法检查：{facts.reason.zh}")
        remedy = Phrase(
            "do not open it in other programs; get the clip again from where it came from",
            "不要用其他程序打开；请从原始来源重新获取音频",
        )
        yield rule.finding(message, remedy, **clip.where, reason=facts.reason)


@GROUP.rule(
    "A006",
    "clip-suffix",
    "warning",
    "audio",
    title=Phrase("the name's ending says another format than the file has", "文件扩展名与实际格式不符"),
    why=Phrase(
        "Tools that go by the name announce the wrong type to the model's server, which may refuse it.",
        "只看文件名的工具会向模型服务器报告错误的类型，服务器可能拒绝。",
    ),
    good="0001.mp3 that is an MP3",
    bad="0001.mp3 that is a WAV",
)
def _suffix(clip: MeasuredClip, rule: Rule) -> Iterator[Finding]:
    yield from suffix_finding(clip, clip.clip.mime, rule)


@GROUP.rule(
    "A101",
    "silent",
    "warning",
    "audio",
    title=Phrase("the clip is silent", "音频是无声的"),
    why=Phrase(
        "Nothing can be heard, and speech recognisers invent sentences when they hear nothing.",
        "什么也听不到，而语音识别器在无声时会凭空编出句子。",
    ),
    good="a peak of −3 dB",
    bad="all samples zero",
    thresholds={"peak_db": -60.0},
)
def _silent(clip: MeasuredClip, rule: Rule) -> Iterator[Finding]:
    facts = clip.clip
    if facts.sound and facts.peak_db < rule["peak_db"]:
        level = "all samples are zero" if facts.peak == 0 else f"its peak is {facts.peak_db:.0f} dB"
        zh = "所有采样均为零" if facts.peak == 0 else f"峰值仅 {facts.peak_db:.0f} dB"
        yield rule.finding(
            Phrase(f"nothing to be heard: {level}", f"听不到声音：{zh}"), _LISTEN, **clip.where, peak=facts.peak
        )


@GROUP.rule(
    "A102",
    "overdriven",
    "warning",
    "audio",
    title=Phrase("the recording is overdriven", "录音过载失真"),
    why=Phrase("Where loud samples are cut off the voice is distorted.", "过响的采样被削平，人声就会失真。"),
    good="no sample at full scale",
    bad="2 % of the samples at full scale",
    thresholds={"share": 0.001},
)
def _overdriven(clip: MeasuredClip, rule: Rule) -> Iterator[Finding]:
    facts = clip.clip
    if facts.clipped > rule["share"]:
        yield rule.finding(
            Phrase(
                f"{facts.clipped:.1%} of its samples are at full scale; at most {rule['share']:.1%} is usual",
                f"{facts.clipped:.1%} 的采样达到满幅；通常不超过 {rule['share']:.1%}",
            ),
            Phrase(
                "listen to it; record it again at a lower level if it sounds harsh",
                "请试听；若声音破裂，请降低音量重新录制",
            ),
            **clip.where,
            clipped=facts.clipped,
        )


@GROUP.rule(
    "A103",
    "very-short",
    "warning",
    "audio",
    title=Phrase("the clip is very short", "音频过短"),
    why=Phrase(
        "Hardly a syllable fits into it: it was probably cut by mistake.", "其中几乎容不下一个音节，多半是误截。"
    ),
    good="12 seconds",
    bad="0.1 seconds",
    thresholds={"seconds": 0.5},
)
def _short(clip: MeasuredClip, rule: Rule) -> Iterator[Finding]:
    facts = clip.clip
    if facts.sound and facts.seconds < rule["seconds"]:
        message = Phrase(f"it lasts {facts.seconds:.2f} s", f"时长仅 {facts.seconds:.2f} 秒")
        yield rule.finding(message, _LISTEN, **clip.where, seconds=facts.seconds)


@GROUP.rule(
    "A111",
    "bit-rate-not-128",
    "warning",
    "audio",
    title=Phrase("the clip is not of 128 kbit/s", "音频码率不是 128 kbit/s"),
    why=Phrase(
        "Multi-TW's clips are MP3 of 128 kbit/s; others differ in quality from the rest.",
        "Multi-TW 的音频为 128 kbit/s 的 MP3；其他码率的音质与之不同。",
    ),
    good="MP3, 128 kbit/s throughout",
    bad="MP3, 32 kbit/s",
    paper='001 "Quality Control", file consistency check',
    profile="multi-tw",
    thresholds={"kbits": 128.0, "tolerance": 1.0},
)
def _bit_rate(clip: MeasuredClip, rule: Rule) -> Iterator[Finding]:
    """Of an MP3 whose frames vary the mean is told; it is found even where the mean is right."""
    facts = clip.clip
    off = abs(facts.kbits - rule["kbits"]) > rule["tolerance"]
    if facts.sound and (off or facts.varies):
        told = f"{facts.kbits:.0f} kbit/s" + (", varying" if facts.varies else "")
        zh = f"{facts.kbits:.0f} kbit/s" + ("（可变码率）" if facts.varies else "")
        wanted = f"{rule['kbits']:g} kbit/s"
        yield rule.finding(
            Phrase(f"its bit rate is {told}; {wanted} throughout is wanted", f"码率为 {zh}；应为恒定 {wanted}"),
            Phrase(
                f"export it from the original recording as MP3 at a constant {wanted}; converting up adds nothing",
                f"请从原始录音导出为恒定 {wanted} 的 MP3；把低码率转高没有意义",
            ),
            **clip.where,
            kbits=facts.kbits,
            varies=facts.varies,
        )


Measured = Sequence[MeasuredImage | MeasuredClip]


def _sounding(media: Measured) -> list[MeasuredClip]:
    return [each for each in media if isinstance(each, MeasuredClip) and each.clip.sound]


@GROUP.rule(
    "A201",
    "sample-rates-differ",
    "note",
    "media",
    title=Phrase("a few clips have another sample rate than the others", "少数音频的采样率与其他不同"),
    why=Phrase(
        "They were probably made in another way and may sound duller.",
        "它们多半以不同方式制作，听起来可能更闷。",
    ),
    good="all clips at 44,100 Hz",
    bad="one clip of 8,000 Hz among a hundred of 44,100 Hz",
    thresholds={"share": 0.1},
)
def _rates(media: Measured, rule: Rule) -> Iterator[Finding]:
    clips = _sounding(media)
    counts = Counter(clip.clip.rate for clip in clips)
    for clip in clips:
        usual, count = counts.most_common(1)[0]
        rate = clip.clip.rate
        if rate != usual and 2 * count > len(clips) and counts[rate] <= rule["share"] * len(clips):
            yield rule.finding(
                Phrase(
                    f"its sample rate is {rate} Hz; {count} of {len(clips)} clips have {usual} Hz",
                    f"采样率为 {rate} Hz；{len(clips)} 个音频中有 {count} 个为 {usual} Hz",
                ),
                Phrase(
                    "export it from the original recording as the others were", "请按其他音频的方式从原始录音重新导出"
                ),
                **clip.where,
                rate=rate,
            )


@GROUP.rule(
    "A202",
    "unusual-length",
    "note",
    "media",
    title=Phrase("the clip is far longer or shorter than the others", "音频比其他的长得多或短得多"),
    why=Phrase("It may hold several questions, or only part of one.", "它可能包含几道题，或只有一道题的一部分。"),
    good="clips of 5 to 60 seconds",
    bad="one clip of 20 minutes among them",
    thresholds={"spreads": 3.0, "fewest": 8},
)
def _lengths(media: Measured, rule: Rule) -> Iterator[Finding]:
    """Beyond the quartiles by so many times their distance (Tukey's far fences), where there are enough clips."""
    clips = _sounding(media)
    if len(clips) < rule["fewest"]:
        return
    low, middle, high = quantiles((clip.clip.seconds for clip in clips), n=4)
    margin = rule["spreads"] * (high - low)
    for clip in clips:
        seconds = clip.clip.seconds
        if margin and not low - margin <= seconds <= high + margin:
            yield rule.finding(
                Phrase(
                    f"it lasts {seconds:.1f} s; half of the clips last under {middle:.1f} s",
                    f"时长 {seconds:.1f} 秒；半数音频不足 {middle:.1f} 秒",
                ),
                _LISTEN,
                **clip.where,
                seconds=seconds,
            )
