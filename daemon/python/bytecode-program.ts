/**
 * Compiles one package; Python 3.10 and later, run with -s -S and PYTHONHASHSEED=0.
 *
 * stdin: fields, each ended by NUL: the root, the path it has in a container, the mtime, then the paths of the
 * sources below the root. stdout: a line with the tag of the files it writes, then a line for each source, in
 * order: empty where it was compiled, else the reason why not; or, as the last one, `!` and the errno that
 * ended it.
 *
 * compile() leaves traces of what the process did before in what marshal writes: which objects are shared, and
 * which strings are interned. So code goes through marshal's format 2, which knows neither: what comes back is
 * interned and shared by its values alone, and each .pyc follows from its source, path and interpreter,
 * whatever else was compiled before it.
 */
export const bytecodeProgram = String.raw`
import _imp, _warnings, gc, marshal, posix, sys, time
from _frozen_importlib_external import MAGIC_NUMBER

Code = type(compile("", "-", "exec"))
# Slices among the constants (3.14) have no form in format 2.
PLAIN = 2 if sys.version_info < (3, 14) else marshal.version
# The package is in the way of its own bytecode.
NO_PLACE = ("ENAMETOOLONG", "ENOTDIR", "EISDIR")

def read_all(fd):
    parts = []
    while True:
        part = posix.read(fd, 1 << 20)
        if not part:
            return b"".join(parts)
        parts.append(part)

def read_file(path):
    fd = posix.open(path, posix.O_RDONLY | posix.O_CLOEXEC)
    try:
        return read_all(fd)
    finally:
        posix.close(fd)

def write_all(fd, data):
    view = memoryview(data)
    while view:
        view = view[posix.write(fd, view):]

# Another package may share the folder, and its interpreter be the quicker one.
def unless_done(action, path):
    try:
        action(path)
    except (FileExistsError, FileNotFoundError):
        pass

# What is there belongs to uv's cache as well: never opened for writing, but replaced.
def create(path, folder):
    flags = posix.O_WRONLY | posix.O_CREAT | posix.O_EXCL | posix.O_CLOEXEC
    for attempt in range(5):
        try:
            return posix.open(path, flags, 0o666)
        except FileNotFoundError:
            unless_done(posix.mkdir, folder)
        except FileExistsError:
            unless_done(posix.unlink, path)
    return posix.open(path, flags, 0o666)

# Up to 3.10 marshal writes a set in the order it has in memory, which follows from the order it was filled in.
def sort_sets(code):
    consts = list(code.co_consts)
    for at, const in enumerate(consts):
        if type(const) is Code:
            consts[at] = sort_sets(const)
        elif type(const) is frozenset:
            # None first: its hash is an address, and so it never gives way to another.
            consts[at] = frozenset(sorted(const, key=lambda one: (one is not None, type(one).__name__, repr(one))))
    return code if all(a is b for a, b in zip(consts, code.co_consts)) else code.replace(co_consts=tuple(consts))

def bytecode(source, filename):
    code = compile(source, "-", "exec", 0, True, 0)
    if sys.version_info < (3, 11):
        code = sort_sets(code)
    settled = marshal.loads(marshal.dumps(code, PLAIN))
    # Once for all functions of the module, which is why "-" stood for it.
    _imp._fix_co_filename(settled, filename)
    return marshal.dumps(settled)

def reason(error):
    text = str(error)
    if isinstance(error, SyntaxError):
        text = "%s (line %s)" % (error.msg, error.lineno) if error.lineno else str(error.msg)
    text = " ".join(("%s: %s" % (type(error).__name__, text)).split())
    return text[:300].encode("utf-8", "backslashreplace")

def errno_name(error):
    import errno
    return errno.errorcode.get(error.errno, str(error.errno))

def compile_one(path):
    source = read_file(root + b"/" + path)
    filename = (prefix + b"/" + path).decode("utf-8", "surrogateescape")
    try:
        code = bytecode(source, filename)
    except Exception as error:
        return reason(error)
    folder, _, name = (root + b"/" + path).rpartition(b"/")
    folder += b"/__pycache__"
    try:
        fd = create(folder + b"/" + name[:-3] + tag + b".pyc", folder)
    except OSError as error:
        if errno_name(error) in NO_PLACE:
            return reason(error)
        raise
    try:
        size = (len(source) & 0xffffffff).to_bytes(4, "little")
        write_all(fd, MAGIC_NUMBER + b"\0\0\0\0" + mtime + size + code)
    finally:
        posix.close(fd)
    return b""

gc.disable()
sys.path.pop(0)
_warnings.filters.insert(0, ("ignore", None, Warning, None, 0))
_warnings._filters_mutated()
# One-letter strings are shared by the whole process: interned from the start, not from the first file on.
for letter in range(256):
    sys.intern(chr(letter))

root, prefix, mtime, *paths = read_all(0).split(b"\0")[:-1]
mtime = int(mtime).to_bytes(4, "little")
tag = ("." + sys.implementation.cache_tag).encode()
lines = [tag]
said = time.monotonic()
for path in paths:
    try:
        lines.append(compile_one(path))
    except OSError as error:
        lines.append(b"!" + errno_name(error).encode())
        break
    if time.monotonic() - said > 0.1:
        write_all(1, b"\n".join(lines) + b"\n")
        lines = []
        said = time.monotonic()
if lines:
    write_all(1, b"\n".join(lines) + b"\n")
`
