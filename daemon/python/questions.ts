/**
 * What an interpreter is asked, by Python that runs on every version one may meet (2.7 too: it then says that
 * it is one). `_base_executable` leads from a virtualenv to the interpreter it was made from.
 */
export const questions = `
import json, os, platform, struct, sys, sysconfig

def libc():
    try:
        return os.confstr("CS_GNU_LIBC_VERSION")
    except (ValueError, AttributeError, OSError):
        return None

def libc_path():
    try:
        with open("/proc/self/maps") as maps:
            for line in maps:
                path = line.split(None, 5)[-1].strip()
                if os.path.basename(path).startswith(("libc.so", "libc-2")):
                    return path
    except OSError:
        pass
    return None

def abi():
    soabi = sysconfig.get_config_var("SOABI") or ""
    parts = soabi.split("-")
    if parts[0] == "cpython" and len(parts) > 1:
        return "cp" + parts[1]
    return "cp%d%d" % sys.version_info[:2]

def interpreter():
    executable = getattr(sys, "_base_executable", None) or sys.executable
    folder = os.path.dirname(executable)
    # Before 3.11 only site knows the base of a virtualenv, and -S leaves it out.
    for notes in (os.path.join(folder, "pyvenv.cfg"), os.path.join(os.path.dirname(folder), "pyvenv.cfg")):
        if os.path.isfile(notes):
            with open(notes) as lines:
                values = dict([part.strip() for part in line.split("=", 1)] for line in lines if "=" in line)
            base = os.path.join(values.get("home", folder), "python%d.%d" % sys.version_info[:2])
            if os.path.exists(base):
                return os.path.realpath(base)
    return os.path.realpath(executable)

print(json.dumps({
    "implementation": platform.python_implementation().lower(),
    "version": platform.python_version(),
    "abi": abi(),
    "platform": "linux" if sys.platform.startswith("linux") else sys.platform,
    "libc": libc(),
    "libcPath": libc_path(),
    "machine": platform.machine(),
    "pointerBytes": struct.calcsize("P"),
    "interpreter": interpreter(),
    "program": os.path.realpath("/proc/self/exe"),
    "prefix": getattr(sys, "base_prefix", sys.prefix),
}))
`

const ownLines = new Set(questions.split('\n').map(line => line.trim()))
const tellingLines = [...ownLines].filter(line => line.length > 20)

/** The end of what a program said, for a message; without our questions, which one that is no Python repeats. */
export function lastWords(said: string): string {
  const lines = said.replaceAll(questions, '').split('\n')
  const itsOwn = lines.filter(
    line => !ownLines.has(line.trim()) && !tellingLines.some(own => line.includes(own)),
  )
  return itsOwn
    .slice(-5)
    .map(line => line.trimEnd().slice(0, 300))
    .join('\n')
    .trim()
}
