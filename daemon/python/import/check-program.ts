import { CONTAINER } from '../../../src/mount/mount-plan.ts'

/**
 * Tries a Python that was taken in, run by itself in a container's view of it; 3.10 and later. Root does everything
 * once as root and once as uid 1000, each in a process of its own. stdout: one line of JSON,
 * `{"<uid>": {"<what>": "<why not>"}}`; what ends a process is told by what it tried last.
 */
export const checkProgram = String.raw`
import importlib, importlib.machinery, importlib.util, json, os, sys

prefix = "${CONTAINER.python}"

def extensions():
    for folder in sys.path:
        if os.path.basename(folder) == "lib-dynload":
            for name in sorted(os.listdir(folder)):
                if name.endswith(tuple(importlib.machinery.EXTENSION_SUFFIXES)):
                    yield name.partition(".")[0]

def importing(name):
    return lambda: importlib.import_module(name)

def prefixes():
    import sysconfig
    library = os.path.dirname(os.__file__)
    for what in (sys.prefix, sys.exec_prefix, sysconfig.get_config_var("prefix")):
        if what != prefix:
            raise ValueError("the prefix is %s" % what)
    if library != prefix + "/lib/" + os.path.basename(library):
        raise ValueError("the standard library is at %s" % library)

def hashes():
    import hashlib, _hashlib
    if hashlib.sha256(b"envd").digest() != _hashlib.openssl_sha256(b"envd").digest():
        raise ValueError("two answers for sha256")

def tls():
    import ssl
    ssl.create_default_context()

def database():
    import sqlite3
    if sqlite3.connect(":memory:").execute("select 1 + 1").fetchone() != (2,):
        raise ValueError("1 + 1 is not 2")

def foreign_functions():
    import ctypes
    ctypes.CDLL(None).getpid()

def processes():
    import multiprocessing
    child = multiprocessing.get_context("spawn").Process(target=os._exit, args=(7,))
    child.start()
    child.join()
    if child.exitcode != 7:
        raise ValueError("a spawned process ended with %s" % child.exitcode)

def environments():
    import subprocess, venv
    place = "/tmp/venv-%d" % os.getuid()
    venv.create(place, symlinks=True)
    code = "import sys; print(sys.prefix, sys.base_prefix)"
    said = subprocess.run([place + "/bin/python", "-c", code], stdout=subprocess.PIPE, check=True).stdout
    if said.decode().split() != [place, prefix]:
        raise ValueError("its prefixes are %s" % said)

def is_there(name):
    return name in sys.builtin_module_names or importlib.util.find_spec(name) is not None

def tries():
    yield "prefix", prefixes
    for name in extensions():
        yield name, importing(name)
    for needs, what, work in [
        ("_hashlib", "hashlib", hashes),
        ("_ssl", "ssl", tls),
        ("_sqlite3", "sqlite3", database),
        ("_ctypes", "ctypes", foreign_functions),
        ("_multiprocessing", "multiprocessing", processes),
        ("venv", "venv", environments),
    ]:
        if is_there(needs):
            yield what, work

def say(out, what):
    os.write(out, (json.dumps(what) + "\n").encode())

def run_tries(out):
    for name, work in tries():
        say(out, [name, None])
        try:
            work()
        except BaseException as error:
            reason = " ".join(("%s: %s" % (type(error).__name__, error)).split())
            say(out, [name, reason])

def try_as(uid):
    end, out = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(end)
        if uid != os.getuid():
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
        run_tries(out)
        os._exit(0)
    os.close(out)
    with open(end, encoding="utf-8") as lines:
        said = [json.loads(line) for line in lines]
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    failed = {name: reason for name, reason in said if reason is not None}
    if status != 0:
        failed[said[-1][0] if said else "start"] = "it ended the interpreter (%d)" % status
    return failed

own = os.getuid()
print(json.dumps({str(uid): try_as(uid) for uid in ([0, 1000] if own == 0 else [own])}))
`
