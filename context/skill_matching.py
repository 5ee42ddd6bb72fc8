"""Finds the installed skills and slash commands that a task calls for, by the key phrases of their descriptions.

A description is what its author says of when to use it: quoted phrases and what follows "use when" count most, what
follows "not for" counts against it. Single common words decide nothing, and near ties without evidence are refused.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from .globs import fits
from .paths import name_of
from .skills import Skill
from .words import STOP, terms_of, words

_MOST_PHRASES: Final = 60
_LONGEST_PHRASE: Final = 5
_MOST_CHARACTERS: Final = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillMatch:
    """A skill that a task calls for: `score` is 0 to 1."""

    skill: Skill
    score: float
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A skill that came near and is not recommended, and why."""

    skill: Skill
    score: float
    why: str


# What a description says


# Words of requests and of descriptions alike: they may complete a phrase, and are none by themselves.
_WEAK: Final = frozenset(
    term
    for word in """
    task tasks work working help helps user users ask asks asked want wants need needs code coding codebase file
    files folder project projects repository repo build building create creates creating write writing written new
    add adding change changes changing update updating edit editing improve improving any anything actionable best
    practice practices guide guidance skill skills agent agents assistant tool tools provide provides including
    include includes handle handles handling support supports run running generate generates generating implement
    implementing common general various multiple workflow workflows process step steps quick simple way ways thing
    things like good better quality high full complete comprehensive modern real every always never first time
    based via across without within related specific existing request requests mention mentions say says feature
    features project's app application applications software development developer developers engineering system
    systems function functions class method methods module component name names value values data type types line
    lines result results input output use uses used using when whenever trigger triggers activate invoke design
    designing explain understand please make making language problem question questions issue error errors fail
    fails failing fixing broken wrong right check checks checking""".split()  # noqa: SIM905  (one by one they would fill a page)
    for term in terms_of(word)
)
_WHEN: Final = re.compile(
    r"\b(?:use(?:d|ful)?(?: this(?: skill| command)?| it| proactively)?"
    r" (?:when(?:ever)?|for|to|if|after|before|on|with)"
    r"|when(?:ever)? (?:the user|users?|you|asked|someone|working|writing|a|an|the)"
    r"|trigger(?:s|ed)?(?: on| when| for| by| phrases?)?"
    r"|invoke(?:d)? (?:when|for)|applies (?:to|when)|activate[sd]? (?:when|on|for)|mentions?(?: of)?|keywords?)\b[ :]*",
    re.IGNORECASE,
)
_NOT: Final = re.compile(
    r"\b(?:(?:do not|don['’]t|never|not to be) (?:use|used|trigger|invoke|apply)(?: this| it)?(?: skill)?"
    r"(?: when| for| if| on| to)?|not (?:for|meant for|intended for|suitable for|to be used for)"
    r"|(?:avoid|skip)(?: this| it)? (?:when|for|if)|except (?:for|when))\b[ :]*",
    re.IGNORECASE,
)
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+(?=[A-Z(\"'`])|\n+|;\s+| [-–—] (?=[A-Z])")
_CLAUSE: Final = re.compile(
    r"[,;:()\[\]/]|\s[-–—]\s|\b(?:or|and|and/or|as well as|such as|e\.g\.|i\.e\.|like|including|from|into|for|with|that"
    r"|which)\b"
)
_QUOTED: Final = re.compile(r"[\"“'‘`]([^\"”'’`\n]{3,80})[\"”'’`](?!\w)")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Phrase:
    """Content terms that belong together, how they are spelled, and what they are worth."""

    terms: tuple[str, ...]
    text: str
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    """A skill's description, taken apart."""

    skill: Skill
    name: tuple[str, ...]
    phrases: tuple[_Phrase, ...]
    against: tuple[_Phrase, ...]


_EXPLICIT, _TRIGGER, _PROPER, _ABOUT = 1.5, 1.0, 0.85, 0.7
_PROPER_NAME: Final = re.compile(r"(?<=[a-z,] )[A-Z][\w+#]*[\w+#]\b")


def _said(skill: Skill) -> _Said:
    wanted: list[_Phrase] = [phrase for text in skill.triggers for phrase in _phrase(text, _EXPLICIT)]
    against: list[_Phrase] = []
    for sentence in _SENTENCE.split(skill.description):
        positive, negative = _parted(sentence)
        against += [phrase for clause in _CLAUSE.split(negative) for phrase in _phrase(clause, 1.0)]
        wanted += [phrase for text in _QUOTED.findall(positive) for phrase in _phrase(text, _EXPLICIT)]
        wanted += [phrase for text in _PROPER_NAME.findall(positive) for phrase in _phrase(text, _PROPER)]
        when = _WHEN.search(positive)
        about, trigger = (positive[: when.start()], positive[when.end() :]) if when else (positive, "")
        for text, weight in ((about, _ABOUT), (trigger, _TRIGGER)):
            wanted += [phrase for clause in _CLAUSE.split(text) for phrase in _phrase(clause, weight)]
    name = tuple(dict.fromkeys(term for word in words(skill.name.rpartition(":")[2]) for term in _parts(word)))
    return _Said(skill=skill, name=name, phrases=_best(wanted), against=_best(against))


def _parted(sentence: str) -> tuple[str, str]:
    """What a sentence says for a skill, and what against it."""
    negative = _NOT.search(sentence)
    return (sentence[: negative.start()], sentence[negative.end() :]) if negative else (sentence, "")


def _phrase(text: str, weight: float) -> Iterator[_Phrase]:
    """A clause as a phrase; a long one is cut into runs."""
    spelled = [word for word in words(text) if word.lower() not in STOP]
    for at in range(0, len(spelled), _LONGEST_PHRASE):
        piece = spelled[at : at + _LONGEST_PHRASE]
        terms = tuple(dict.fromkeys(term for word in piece for term in _parts(word)))
        if any(term not in _WEAK for term in terms):
            yield _Phrase(terms=terms, text=" ".join(piece).lower(), weight=weight)


def _parts(word: str) -> tuple[str, ...]:
    """A word's terms, without the whole of one that is made of several."""
    terms = terms_of(word)
    return terms[1:] if len(terms) > 1 else terms


def _best(phrases: list[_Phrase]) -> tuple[_Phrase, ...]:
    held: dict[tuple[str, ...], _Phrase] = {}
    for phrase in phrases:
        if phrase.terms not in held or held[phrase.terms].weight < phrase.weight:
            held[phrase.terms] = phrase
    return tuple(held.values())[:_MOST_PHRASES]


# What a task calls for


SUREST: Final = 0.6
_LEAST: Final = 0.35
_NEAR: Final = 0.08
_FAR_BEHIND: Final = 0.6
_MOST_MATCHES: Final = 5
_MOST_REFUSED: Final = 5
_SCALE: Final = 2.2
_MOST_OF_IT: Final = 0.6
_PART_OF_NAME: Final = 0.5
_ENDING: Final = re.compile(r"(?<![\w/])\*?\.([a-z][a-z0-9]{1,7})\b")


def match_skills(
    skills: Iterable[Skill], task: str, likely: Iterable[str] = ()
) -> tuple[tuple[SkillMatch, ...], tuple[Refused, ...]]:
    """The skills that a task calls for, best first, and those that came near; `likely` are the files it is about."""
    files = tuple(likely)
    told = [_said(skill) for skill in skills if _offered(skill, files)]
    rarity = _rarities(told)
    asked = _asked(task)
    scored = [_scored(said, asked, task, files, rarity) for said in told]
    found = [each for each in scored if each is not None]
    found.sort(key=lambda each: (-each.score, each.skill.path))
    return _decided(_once(found))


def _offered(skill: Skill, files: tuple[str, ...]) -> bool:
    return not skill.scope or not files or any(file.startswith(skill.scope + "/") for file in files)


def _once(found: list[SkillMatch]) -> list[SkillMatch]:
    """One skill of a name; a copy for another agent is the same skill."""
    held: dict[tuple[str, str, str], SkillMatch] = {}
    for each in found:
        held.setdefault((each.skill.kind, each.skill.name, each.skill.description), each)
    return list(held.values())


def _asked(task: str) -> list[str]:
    """The task's terms in their order."""
    return [term for word in words(task[:_MOST_CHARACTERS]) if word.lower() not in STOP for term in _parts(word)]


def _rarities(told: list[_Said]) -> Mapping[str, float]:
    """How much a term tells one skill from another: 1 where it is in a single one of many."""
    held = Counter(
        term for said in told for term in {t for phrase in said.phrases for t in phrase.terms} | set(said.name)
    )
    top = math.log(2 + len(told))
    return {
        term: (0.2 if term in _WEAK else 1.0) * (0.5 + 0.5 * math.log((2 + len(told)) / (1 + number)) / top)
        for term, number in held.items()
    }


def _scored(
    said: _Said, asked: list[str], task: str, files: tuple[str, ...], rarity: Mapping[str, float]
) -> SkillMatch | None:
    if _named(said.skill, task):
        return SkillMatch(skill=said.skill, score=1.0, reasons=("the task names it",))
    among, reasons, raw, strong = set(asked), list[str](), 0.0, False
    against = [phrase for phrase in said.against if _whole(phrase, among)]
    credited: set[str] = set()
    for phrase in sorted(said.phrases, key=lambda each: -each.weight * len(each.terms)):
        worth, sure = _worth(phrase, asked, among, rarity, credited)
        raw += worth
        if sure:
            strong = True
            reasons.append(f'"{phrase.text}"')
    own = [term for term in said.name if term in among and term not in _WEAK]
    if own and said.name and set(said.name) - _WEAK <= set(own):
        # A name of one word tells something only if the description says it, too.
        raw, strong = raw + sum(rarity[term] for term in own), strong or len(own) > 1 or own[0] in credited
        reasons.append(f"its name: {' '.join(own)}")
    elif own:
        raw += _PART_OF_NAME * sum(rarity[term] for term in own)
    fitting = _fitting(said.skill, files)
    if fitting:
        raw += 0.8 if said.skill.globs else 0.4
        reasons.append(f"is for {fitting}")
    if against:
        raw *= 0.2
        reasons.append(f'is not for "{against[0].text}"')
    score = round(1 - math.exp(-raw / _SCALE), 3) * (1.0 if strong else 0.5)
    if not credited and not own:
        return None
    loose = _loose(credited, reasons, task)
    more = (f"words: {', '.join(loose[:4])}",) if loose else ()
    return SkillMatch(skill=said.skill, score=round(score, 3), reasons=(*reasons[:4], *more))


def _loose(credited: set[str], reasons: Iterable[str], task: str) -> list[str]:
    """The words of the task that count and are in no phrase that is named, as they are spelled."""
    told = {term for reason in reasons for word in words(reason) for term in _parts(word)} | _WEAK
    spelled = (word.lower() for word in words(task[:_MOST_CHARACTERS]) if credited.intersection(_parts(word)))
    return list(dict.fromkeys(word for word in spelled if not told.intersection(_parts(word))))


def _named(skill: Skill, task: str) -> bool:
    """Whether a task says the skill's own name as a name: `/deploy`, `$pdf`, `the pdf-tools skill`."""
    bare = re.escape(skill.name.removeprefix("/").rpartition(":")[2])
    full = re.escape(skill.name.removeprefix("/"))
    either = f"(?:{full}|{bare})"
    pattern = rf"(?<![\w/.-])(?:[/$@]{either}(?![\w/-])|{either}`? (?:skill|command)\b|(?:skill|command) `?{either}\b)"
    return re.search(pattern, task[:_MOST_CHARACTERS], re.IGNORECASE) is not None


def _whole(phrase: _Phrase, among: set[str]) -> bool:
    strong = [term for term in phrase.terms if term not in _WEAK]
    return all(term in among for term in (strong if len(strong) > 1 else phrase.terms))


def _worth(
    phrase: _Phrase, asked: list[str], among: set[str], rarity: Mapping[str, float], credited: set[str]
) -> tuple[float, bool]:
    """What a phrase adds, each term once; and whether it was said as a whole."""
    held = [term for term in phrase.terms if term in among]
    fresh = [term for term in held if term not in credited]
    strong = [term for term in phrase.terms if term not in _WEAK]
    said = [term for term in strong if term in among]
    if not said:
        return 0.0, False
    share = sum(rarity[term] for term in said) / sum(rarity[term] for term in strong)
    most = len(said) == len(strong) or (len(said) > 1 and share >= _MOST_OF_IT)
    sure = most and (len(said) == 1 or _together(said, asked))
    credited |= set(said)
    bonus = 1.4 if sure and len(said) > 1 else 1.0
    return phrase.weight * bonus * share * sum(rarity[term] for term in fresh), sure


def _together(terms: list[str], asked: list[str], within: int = 8) -> bool:
    """Whether the terms stand near one another in the task."""
    places = [[at for at, term in enumerate(asked) if term == wanted][:50] for wanted in terms]
    return any(all(any(abs(at - start) <= within for at in held) for held in places[1:]) for start in places[0])


def _fitting(skill: Skill, files: tuple[str, ...]) -> str:
    """What of the likely files a skill is for by its globs, or by the endings that its description names."""
    by_glob = next((glob for glob in skill.globs if any(fits(file, glob) for file in files[:5])), "")
    if by_glob:
        return by_glob
    endings = {name_of(file).rpartition(".")[2].lower() for file in files[:5] if "." in name_of(file)}
    return next((f".{ending}" for ending in _ENDING.findall(skill.description) if ending in endings), "")


def _decided(found: list[SkillMatch]) -> tuple[tuple[SkillMatch, ...], tuple[Refused, ...]]:
    """Those above the threshold; of unsure ones that tie, none."""
    kept = [each for each in found if each.score >= max(_LEAST, _FAR_BEHIND * found[0].score)]
    refused = [
        Refused(skill=each.skill, score=each.score, why="too little of its description is in the task")
        for each in found
        if _LEAST * _FAR_BEHIND <= each.score < _LEAST
    ]
    if len(kept) > 1 and kept[0].score < SUREST and kept[0].score - kept[1].score <= _NEAR:
        tied = [each for each in kept if kept[0].score - each.score <= _NEAR]
        refused = [_tie(each, tied) for each in tied] + refused
        kept = [each for each in kept if each not in tied] if tied[-1].score >= SUREST else []
    return tuple(kept[:_MOST_MATCHES]), tuple(refused[:_MOST_REFUSED])


def _tie(one: SkillMatch, tied: list[SkillMatch]) -> Refused:
    others = ", ".join(each.skill.name for each in tied if each is not one)
    return Refused(skill=one.skill, score=one.score, why=f"as likely as {others}, and neither is sure")
