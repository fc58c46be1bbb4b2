"""A protocol: how a question is put to a model and how its reply is read. It is data; a run stores it whole."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, get_args

from keju.errors import BadFile, Misuse
from keju.items import NOTHING, Item, Wording, same_language
from keju.prompts import Generation, Part, Prompt, Scoring, Text
from keju.protocols.extraction import Extraction, draw
from keju.protocols.parsers import PARSERS, extract
from keju.protocols.template import Template
from keju.script import script_of

ANY = "any"
"""Key of a template that serves every language."""

Position = Literal["before", "after"]
Invalid = Literal["incorrect", "draw"]


@dataclass(frozen=True)
class Protocol:
    """How a question is put and how its answer is read and counted."""

    name: str
    title: str
    """One line for people."""
    source: str
    """Where it comes from: a paper and its section."""
    parser: str
    """Name of one of `keju.protocols.PARSERS`."""
    generation: Generation
    templates: Mapping[str, Template]
    """Language tag, or `any`, → text of the prompt."""
    scoring: Scoring = "generate"
    media_position: Position = "before"
    """Whether the media stand before the text or after it."""
    invalid: Invalid = "incorrect"
    """What an invalid answer counts as: `incorrect`, or `draw` one of the item's labels at random."""
    seed: int = 0
    """Seed of the draws."""

    def __post_init__(self) -> None:
        """Raises `Misuse` where a value is not one of those that there are, or two do not go together."""
        _one_of("parser", self.parser, PARSERS)
        _one_of("scoring", self.scoring, get_args(Scoring))
        _one_of("media_position", self.media_position, get_args(Position))
        _one_of("invalid", self.invalid, get_args(Invalid))
        if (self.parser == "likelihood") != (self.scoring != "generate"):
            raise Misuse(
                "key `parser`: `likelihood` goes with scoring `option-likelihood` or `choice`, and only with them"
            )
        if not self.templates:
            raise Misuse(f"key `templates`: give at least one, by language tag or as `{ANY}`")

    def prompt(self, item: Item, language: str | None = None) -> Prompt:
        """What a model is asked for `item`, in its original language or in `language`.

        Raises `Misuse` where the item has no such wording, or the protocol no template for it.
        """
        wording = item.wording if language is None else item.in_language(language)
        text: tuple[Part, ...] = (Text(self._template(wording).fill(wording)),)
        return Prompt(
            item_id=item.id,
            parts=item.media + text if self.media_position == "before" else text + item.media,
            generation=self.generation,
            scoring=self.scoring,
            language=wording.language,
            instruction=wording.instruction,
            question=wording.question,
            options=wording.options,
        )

    def extract(
        self,
        record_text: str | None,
        options: Mapping[str, str],
        *,
        item_id: str,
        truncated: bool = False,
        scores: Mapping[str, float] | None = None,
        parser: str | None = None,
    ) -> Extraction:
        """The label that a record's reply gives, as this protocol reads it, or as `parser` does.

        `draw` belongs to the protocol's own parser: another one, asked for by name, leaves invalid answers invalid.
        Nothing is drawn where there is no reply (`record_text` is None) or where it names what is not an option.
        """
        if record_text is None:
            return Extraction(None, "truncated" if truncated else "empty")
        found = extract(record_text, options, parser or self.parser, truncated=truncated, scores=scores or NOTHING)
        if not self.draws(parser) or found.valid or found.reason == "not-an-option" or not options:
            return found
        return Extraction(draw(self.seed, item_id, options), found.reason, drawn=True)

    def draws(self, parser: str | None = None) -> bool:
        """Whether a reply without a label is given one at random, marked as this protocol does or under `parser`."""
        return self.invalid == "draw" and parser in (None, self.parser)

    def to_json(self) -> dict[str, Any]:
        """Everything that makes the protocol, as plain data; `from_json` reads it back."""
        plain = {field.name: getattr(self, field.name) for field in fields(self)}
        templates = {tag: asdict(template) for tag, template in self.templates.items()}
        return plain | {"generation": asdict(self.generation), "templates": templates}

    @classmethod
    def from_json(cls, data: Mapping[str, Any], place: str = "protocol") -> Protocol:
        """The protocol that `data` describes, as `to_json` or a TOML file gives it.

        Raises `BadFile` that names `place`, the key and what was expected.
        """
        try:
            values = _checked(cls, data)
            values["generation"] = _generation(values["generation"])
            values["templates"] = {tag: _template(tag, given) for tag, given in values["templates"].items()}
            return cls(**values)
        except Misuse as error:
            raise BadFile(f"{place}: {error}") from None

    @property
    def digest(self) -> str:
        """16 hex digits that change with anything in the protocol."""
        text = json.dumps(self.to_json(), ensure_ascii=False, sort_keys=True)
        return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:16]

    def _template(self, wording: Wording) -> Template:
        if found := self.templates.get(wording.language):
            return found
        tag = _with_script(wording)
        for language, template in self.templates.items():
            if same_language(language, tag):
                return template
        if ANY in self.templates:
            return self.templates[ANY]
        have = ", ".join(self.templates)
        raise Misuse(f"protocol {self.name} has no template for language {wording.language!r} (it has {have})")


def _with_script(wording: Wording) -> str:
    """The wording's tag; of Chinese that does not name its script, with the script of the region or of the text."""
    language, *rest = wording.language.lower().replace("_", "-").split("-")
    if language != "zh" or "hans" in rest or "hant" in rest:
        return "-".join([language, *rest])
    text = "".join((wording.instruction, wording.question, *wording.options.values()))
    traditional = {"tw", "hk", "mo"} & set(rest) or (not rest and script_of(text) == "hant")
    return "zh-hant" if traditional else "zh-hans"


def _one_of(key: str, value: object, known: Any) -> None:
    if value not in known:
        raise Misuse(f"key `{key}` is {value!r}; there are {', '.join(known)}")


_TYPES: Mapping[str, tuple[type, ...]] = {"str": (str,), "int": (int,), "bool": (bool,), "float | None": (int, float)}


def _checked(cls: type[Any], data: Mapping[str, Any]) -> dict[str, Any]:
    """`data` as arguments of the dataclass `cls`: no key unknown, none missing, each of its type."""
    known = {field.name: field for field in fields(cls)}
    if unknown := [key for key in data if key not in known]:
        raise Misuse(f"there is no key `{unknown[0]}`; there are {', '.join(known)}")
    for name, field in known.items():
        if name not in data:
            if field.default is not field.default_factory:  # both MISSING where the field has no default
                continue
            raise Misuse(f"key `{name}` is missing")
        _check_type(name, data[name], str(field.type))
    return dict(data)


def _check_type(name: str, value: object, kind: str) -> None:
    wanted = _TYPES.get(kind, (Mapping,) if kind.startswith(("Mapping", "Generation")) else (str,))
    if value is None and "None" in kind:
        return
    if not isinstance(value, wanted) or (isinstance(value, bool) and bool not in wanted):
        means = {str: "text", int: "a whole number", bool: "true or false", Mapping: "a table"}
        raise Misuse(f"key `{name}` must be {means.get(wanted[0], 'a number')}, not {value!r}")


def _generation(data: Mapping[str, Any]) -> Generation:
    try:
        found = Generation(**_checked(Generation, data))
    except Misuse as error:
        raise Misuse(f"table `generation`: {error}") from None
    if found.max_tokens < 1:
        raise Misuse(f"table `generation`: key `max_tokens` must be at least 1, not {found.max_tokens}")
    if found.temperature is not None and not 0 <= found.temperature <= 2:  # the range that endpoints accept
        raise Misuse(f"table `generation`: key `temperature` must be between 0 and 2, not {found.temperature}")
    return found


def _template(tag: str, data: object) -> Template:
    if not isinstance(data, Mapping):
        raise Misuse(f"table `templates`: `{tag}` must be a table with the key `text`, not {data!r}")
    try:
        return Template(**_checked(Template, data))
    except Misuse as error:
        raise Misuse(f"table `templates.{tag}`: {error}") from None
