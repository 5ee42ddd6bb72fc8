"""How languages let one name another: which are of one family, what needs no import, what calls its own object."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

Nearby = Literal["import", "folder", "package", "namespace", "target"]
"""Whose names are seen without an import: nobody's, those of files in the folder, of the same package, of the
namespaces around, of the same build target."""
Types = Literal["after", "before", "go"]
"""Where a declaration has its type: `name: Type`, `Type name`, `name Type`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    """What decides which definition a name can mean. Names never cross from one family to another."""

    family: str
    own: frozenset[str] = frozenset()
    """Words for the object or class that a method belongs to."""
    parent: frozenset[str] = frozenset()
    """Words for its base."""
    bare_members: bool = False
    """Whether a bare name may be a member of the class around it."""
    nearby: Nearby = "import"
    open_functions: bool = False
    """Whether functions are seen everywhere without an import."""
    open_types: bool = False
    types: Types = "after"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PYTHON: Final = Habits(family="python", own=_words("self cls mcs"), parent=_words("super"))
_SCRIPT: Final = Habits(family="script", own=_words("this self that"), parent=_words("super"))
_JVM: Final = Habits(
    family="jvm", own=_words("this"), parent=_words("super"), bare_members=True, nearby="package", types="before"
)
_C: Final = Habits(
    family="c", own=_words("this"), bare_members=True, open_functions=True, open_types=True, types="before"
)
_OPEN: Final = Habits(family="", own=_words("self this"), open_functions=True, open_types=True)

HABITS: Final[Mapping[str, Habits]] = {
    "astro": _SCRIPT,
    "c": _C,
    "c-header": _C,
    "cpp": _C,
    "csharp": Habits(
        family="csharp",
        own=_words("this"),
        parent=_words("base"),
        bare_members=True,
        nearby="namespace",
        types="before",
    ),
    "cython": _PYTHON,
    "go": Habits(family="go", nearby="folder", types="go"),
    "gradle": _JVM,
    "html": _SCRIPT,
    "java": _JVM,
    "javascript": _SCRIPT,
    "kotlin": Habits(
        family="jvm", own=_words("this"), parent=_words("super"), bare_members=True, nearby="package", types="after"
    ),
    "php": Habits(
        family="php",
        own=_words("$this self static"),
        parent=_words("parent"),
        nearby="namespace",
        open_functions=True,
        types="before",
    ),
    "python": _PYTHON,
    "ruby": Habits(
        family="ruby",
        own=_words("self"),
        parent=_words("super"),
        bare_members=True,
        open_functions=True,
        open_types=True,
    ),
    "rust": Habits(family="rust", own=_words("self Self")),
    "scala": Habits(
        family="jvm", own=_words("this"), parent=_words("super"), bare_members=True, nearby="package", types="after"
    ),
    "svelte": _SCRIPT,
    "swift": Habits(
        family="swift", own=_words("self Self"), parent=_words("super"), bare_members=True, nearby="target"
    ),
    "tsx": _SCRIPT,
    "typescript": _SCRIPT,
    "vue": _SCRIPT,
}


def habits_of(language: str | None) -> Habits:
    """A language that is not in the table is a family of its own, in which names are open."""
    return HABITS.get(language or "") or _alone(language or "")


@lru_cache(maxsize=256)
def _alone(language: str) -> Habits:
    return Habits(family="other " + language, own=_OPEN.own, open_functions=True, open_types=True)


COMMON: Final = _words(
    """add addAll all any append apply as_str assert assertEqual at await begin bind build call cancel catch charAt
    clear clone close collect compare compareTo concat contains containsKey copy count create data decode defaultdict
    delete description destroy do done each empty encode end endsWith endswith entries entry enumerate eq equal equals
    erase error every exec execute exists expect extend fail fetch fill filter finalize finally find findFirst first
    flat_map flatMap flatten flush fmt fold forEach for_each format forward from get getName getOrDefault getattr
    getClass getId getInstance getValue group has hasNext hash hashCode head id in include include? includes index
    indexOf info init insert into into_iter invoke is_empty isEmpty is_some is_none isPresent items iter iterator join
    keys last lastIndexOf len length lines listen list load lock log lower lowercase main map match max merge message
    min name new next not notify now of ok on open or orElse order parse parseInt partition peek pop popitem pow
    present? print printf println process push put query raise random range read readLine receive reduce ref register
    reject release remove removeAll render replace replaceAll request reset resolve respond_to? result return reverse
    round run save search select send set setdefault setState shift show shutdown size skip sleep slice some sort
    sort_by splice split splitlines start startsWith startswith state stop str stream strip sub submit subscribe
    substr substring sum swap sync system tail take tap test text then throw title toArray toBe toEqual toJSON toList
    toLowerCase toString toUpperCase to_a to_h to_i to_json to_owned to_s to_string to_sym to_vec trim try type unlock
    unshift unsubscribe unwrap unwrap_or update upper uppercase url use valid validate value valueOf values view visit
    wait warn with wrap write writeln yield zip Add Close Contains Count Debug Equal Error Errorf Fatal Fatalf First
    Format Get Error Id Init Len Length List Load Lock Log Name New Next Parse Print Printf Println Put Read Remove
    Replace Run Set Size Sort Split Start Stop String Sub Sum Test Title ToList ToString Trim Type Unlock Update Value
    Wait Write __init__ __repr__ __str__ __eq__ constructor Select Where Any All Dispose Equals Done Err Context
    Background Reset Scan Exec Query Do Helper Skip Fail Cleanup"""
)
"""Methods that the languages' own objects have, or most programs: a guess by such a name alone is mostly wrong."""

KNOWN: Final = _words(
    """__call__ __enter__ __exit__ acquire addHandler after appendChild as_posix assert_called_once before bytes casefold
    chdir chmod classList cleanup clearTimeout closest commit communicate compile connect count_ones critical debug
    dispatch emit exception fileno findall finditer fullmatch getAttribute getElementById getLogger getvalue glob group
    groupdict groups has_key hexdigest is_dir is_file isatty isdigit isfile isdir isinstance isoformat iterdir joinpath
    kill locals makedirs mkdir next_back notify_all off once open_file path pipe poll preventDefault querySelector
    read_bytes read_text readable readline readlines relative_to removeAttribute removeChild removeEventListener
    addEventListener require resume rewind rglob rmdir rollback rstrip lstrip seek setAttribute setLevel setUp setdefault
    setTimeout spawn stat stderr stdin stdout stopPropagation strftime strptime suspend symlink_to tearDown tell
    terminate timestamp toFixed total_seconds touch truncate unlink unwrap_or_default unwrap_or_else warning with_suffix
    writable write_bytes write_text writelines writerow zfill ok_or map_err and_then as_bytes as_mut as_deref as_slice
    ends_with starts_with trim_end trim_start to_lowercase to_uppercase to_path_buf to_string_lossy is_ok is_err
    is_alphanumeric is_ascii chars lines parse_next entry or_insert or_default retain drain windows chunks
    Abs After As Base Before Bytes Cause Ceil Check Chmod Create Deadline Decode Dir Elem Encode Ext Execute
    ExecuteTemplate Field Fields Filename Flush Format Funcs Header Host IndexByte Info Infof Infoln Interface Is IsAbs
    IsDir IsNil IsValid IsZero Join Kind Log Logf Lookup Marshal Match MatchString Method Mkdir MkdirAll ModTime Mode
    Month Now NumField Open Panic Panicf Path Peek Pop Push Query Rat ReadAll ReadByte ReadDir ReadFile ReadFrom ReadRune
    ReadString Readdir Release Rename Resolve Round Seek ServeHTTP Setenv Stat Submatch Sync Sys Tempdir Truncate Unix
    Unmarshal Unwrap Walk Warn Warnf WriteByte WriteFile WriteHeader WriteRune WriteString WriteTo Year Debugf Debug Dial
    append_child getBytes getClassLoader getField getKey getMessage getMethod getModifiers getParameterTypes
    getReturnType getType getSimpleName isAssignableFrom isInstance isInterface nextInt ordinal printStackTrace putAll
    computeIfAbsent getDeclaredConstructor newInstance isArray getComponentType replaceFirst setAccessible toCharArray
    FirstOrDefault SingleOrDefault ToArray ToDictionary GetType GetHashCode Invoke ConfigureAwait TryGetValue AddRange
    GetAwaiter GetResult StartsWith EndsWith SequenceEqual Append AppendLine"""
)
"""Methods of standard libraries: meant by their name alone only where a file with one of them is imported."""

_WRAPPERS: Final = _words(
    "Optional Annotated Final ClassVar Type Required NotRequired Readonly Box Arc Rc Lazy unique_ptr shared_ptr"
)
_AFTER: Final = re.compile(
    r"""([A-Za-z_$]\w{0,80})\s?[?!]?\s?:\s?["'&*]*(?:'\w+\s)?(?:mut\s|dyn\s|impl\s|inout\s|readonly\s)*["']?([A-Za-z_]\w*(?:(?:\.|::)\w+)*)(?:[<\[]["']?([A-Za-z_]\w*(?:\.\w+)*))?"""
)
_BEFORE: Final = re.compile(
    r"([A-Za-z_]\w*(?:(?:\.|::|\\)\w+)*)(?:<([A-Za-z_]\w*)[^<>()]*>)?[\s*&?]+\$?([A-Za-z_]\w*)\s?(?=[,)=;]|$)"
)
_GO: Final = re.compile(r"((?:\w+,\s?)*\w+)\s(?:\.\.\.)?\*?([A-Za-z_]\w*(?:\.\w+)?)(?=[\s,)\[{`]|$)")
_MADE: Final = re.compile(r"^[^=({]{0,120}=\s?(?:await\s)?(?:new\s)?&?((?:[a-z_]\w*\.)*[A-Z]\w*)\s?[({]")
_NO_TYPES: Final = _words("return new final const static public private protected readonly var val let in out func fn")


@lru_cache(maxsize=65_536)
def typed_names(signature: str, types: Types) -> Mapping[str, str]:
    """The names that a signature gives a type to, with that type's name; wrappers like `Optional` are taken off."""
    found: dict[str, str] = {}
    if types == "after":
        for name, kind, inner in _AFTER.findall(signature):
            found.setdefault(name, inner if kind in _WRAPPERS and inner else kind)
    elif types == "before":
        for kind, inner, name in _BEFORE.findall(signature):
            if kind not in _NO_TYPES:
                found.setdefault(name, inner if kind.rpartition("::")[2] in _WRAPPERS and inner else kind)
    else:
        for names, kind in _GO.findall(signature):
            found |= {name.strip(): kind for name in names.split(",") if name.strip() not in _NO_TYPES}
    return found


@lru_cache(maxsize=65_536)
def type_of_value(name: str, signature: str, types: Types) -> str | None:
    """The type that a field's or variable's declaration names: as written, else that of the object it is made as."""
    typed = typed_names(signature, types).get(name)
    if typed is not None:
        return typed
    bare = signature.lstrip("*& ")
    if types == "go" and bare.rpartition(".")[2] == name:
        return bare
    made = _MADE.match(signature)
    return made.group(1) if made else None
