"""A real OpenSearch node from Maven artifacts: `uv run python -m tests.opensearch.node start|stop --home DIR`.

Needs Maven and a JDK: 17 for the 2.19 line, 21 or newer for 3.5. Nothing else is installed.
"""

import argparse
import fcntl
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
BUILD = HERE.parents[1] / "build"
JDKS = {"2.19": range(17, 25), "3.5": range(21, 40)}
START_S = 120
STOP_S = 20
FLAGS = [
    "-XX:+UseSerialGC",
    "-Djava.awt.headless=true",
    "-Dfile.encoding=UTF-8",
    "-Djna.nosys=true",
    "-Djava.locale.providers=SPI,CLDR",
    "-Dio.netty.noUnsafe=true",
    "-Dio.netty.noKeySetOptimization=true",
    "-Dio.netty.recycler.maxCapacityPerThread=0",
    "-Dio.netty.allocator.numDirectArenas=0",
    "-Dlog4j2.disable.jmx=true",
    "-Dlog4j.shutdownHookEnabled=false",
    f"-Dlog4j2.configurationFile=file:{HERE / 'log4j2.properties'}",
]
FLAGS_3 = [
    "--add-modules=jdk.incubator.vector",
    "--enable-native-access=ALL-UNNAMED",
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "-Dopensearch.set.netty.runtime.available.processors=false",
]


class Impossible(Exception):
    """This machine cannot run a node; the message says what is missing."""


@dataclass(frozen=True)
class Node:
    """A running node."""

    url: str
    pid: int


def jdk(line: str) -> Path:
    """The folder of a JDK that the line runs on: JAVA_HOME, the usual folders, then the PATH."""
    for home in _homes():
        if (home / "bin" / "javac").exists() and _major(home) in JDKS[line]:
            return home
    raise Impossible(f"no JDK {JDKS[line].start} or newer for OpenSearch {line}")


def _homes() -> Iterator[Path]:
    if told := os.environ.get("JAVA_HOME"):
        yield Path(told)
    for folder in ("/usr/lib/jvm", "/usr/java", "/opt/java", "/Library/Java/JavaVirtualMachines"):
        for home in sorted(Path(folder).glob("*")):
            yield home / "Contents" / "Home" if (home / "Contents").exists() else home
    if found := shutil.which("javac"):
        yield Path(found).resolve().parents[1]


def _major(home: Path) -> int:
    """From the `release` file that every JDK carries; 0 when it cannot be read."""
    try:
        lines = (home / "release").read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0
    version = next((line.split('"')[1] for line in lines if line.startswith("JAVA_VERSION=")), "0")
    return int(version.split(".")[0])


def fetch(line: str) -> Path:
    """The folder with jars, plugin and launcher, made on first use."""
    home, folder = jdk(line), BUILD / f"opensearch-{line}"
    if not shutil.which("mvn"):
        raise Impossible("no Maven (mvn) on the PATH")
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two test processes may both find it missing
        if not (folder / "fetched").exists():
            goal = ["mvn", "-B", "-ntp", "-q", "-f", str(HERE / f"pom-{line}.xml"), f"-Dout={folder}"]
            if wrong := _run([*goal, "generate-resources"], home):
                raise Impossible(f"Maven could not fetch OpenSearch {line}: {wrong}")
            (folder / "fetched").touch()
        _compile(home, folder, line)
    return folder


def _compile(home: Path, folder: Path, line: str) -> None:
    sources = [HERE / "src" / "Launcher.java"]
    if line != "2.19":
        sources += sorted((HERE / "stubs").rglob("*.java"))
    classes = folder / "classes"
    made = classes / "Launcher.class"
    if made.exists() and made.stat().st_mtime > max(s.stat().st_mtime for s in sources):
        return
    command = [str(home / "bin" / "javac"), "-nowarn", "-proc:none", "-cp", f"{folder}/lib/*", "-d", str(classes)]
    if wrong := _run([*command, *map(str, sources)], home):
        raise RuntimeError(f"the launcher does not compile: {wrong}")


def _run(command: list[str], home: Path) -> str:
    """The end of what a failing command said, or nothing."""
    told = {**os.environ, "JAVA_HOME": str(home)}
    done = subprocess.run(command, env=told, capture_output=True, text=True)
    return (done.stdout + done.stderr)[-2000:] or "no reason given" if done.returncode else ""


def start(home: Path, port: int = 0, line: str = "2.19", heap: str = "512m") -> Node:
    """Start a node whose data lives in `home`, or return the one that runs there. Port 0 takes a free one."""
    home = home.resolve()
    if running := _running(home):
        return running
    folder = fetch(line)
    home.mkdir(parents=True, exist_ok=True)
    ready = home / "ready"
    ready.unlink(missing_ok=True)
    command: list[str | Path] = [jdk(line) / "bin" / "java", f"-Xms{heap}", f"-Xmx{heap}", *FLAGS]
    command += FLAGS_3 if line != "2.19" else []
    command += [
        "-cp",
        f"{folder}/classes:{folder}/lib/*:{folder}/knn/*",
        "Launcher",
        home,
        str(port or "9200-9399"),
        ready,
    ]
    log = home / "node.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            command, stdout=out, stderr=out, stdin=subprocess.DEVNULL, start_new_session=True
        )
    (home / "pid").write_text(str(process.pid), encoding="ascii")
    end = time.monotonic() + START_S
    while not ready.exists():
        if process.poll() is not None or time.monotonic() > end:
            process.kill()
            process.wait()
            raise RuntimeError(f"OpenSearch {line} did not start:\n{log.read_text(errors='replace')[-3000:]}")
        time.sleep(0.1)
    process.returncode = 0  # it outlives this object, which would warn about that
    return Node(f"http://{ready.read_text(encoding='utf-8')}", process.pid)


def _running(home: Path) -> Node | None:
    try:
        pid = int((home / "pid").read_text(encoding="ascii"))
        url = f"http://{(home / 'ready').read_text(encoding='utf-8')}"
    except (OSError, ValueError):
        return None
    return Node(url, pid) if _ours(pid, home) else None


def _ours(pid: int, home: Path) -> bool:
    """True while that process is the node of `home`, and not another one that got its number."""
    shown = subprocess.run(
        ["ps", "-ww", "-o", "stat=,args=", "-p", str(pid)], capture_output=True, text=True
    ).stdout
    return f"Launcher {home} " in shown and not shown.startswith("Z")


def stop(node: Node, home: Path | None = None) -> None:
    """End the node and wait for it; its data stays."""
    try:
        os.kill(node.pid, signal.SIGTERM)
        end = time.monotonic() + STOP_S
        while _alive(node.pid):
            if time.monotonic() > end:
                os.kill(node.pid, signal.SIGKILL)
                end += STOP_S
            time.sleep(0.05)
    except ProcessLookupError:
        pass
    if home:
        (home / "pid").unlink(missing_ok=True)


def _alive(pid: int) -> bool:
    try:
        if os.waitpid(pid, os.WNOHANG)[0] == pid:
            return False
    except ChildProcessError:
        pass  # started by another process
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def main() -> int:
    """Start or stop the node of a folder; prints its URL."""
    parser = argparse.ArgumentParser(prog="tests.opensearch.node", description=__doc__)
    parser.add_argument("command", choices=["start", "stop"])
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--line", choices=sorted(JDKS), default="2.19")
    parser.add_argument("--heap", default="512m")
    told = parser.parse_args()
    try:
        if told.command == "start":
            print(start(told.home, told.port, told.line, told.heap).url)
        elif node := _running(told.home.resolve()):
            stop(node, told.home)
    except Impossible as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
