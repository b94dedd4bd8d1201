import os
import tomllib
import zipfile


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    with open("pyproject.toml", "rb") as file:
        document = tomllib.load(file)
    project = document["project"]
    name, version = project["name"], project["version"]
    if document.get("tool", {}).get("tinybuild", {}).get("fail"):
        raise RuntimeError("this project does not build")
    for module in document.get("tool", {}).get("tinybuild", {}).get("imports", []):
        __import__(module)
    os.makedirs(f"{name}.egg-info", exist_ok=True)
    # What a hostile one would try: two names, set-uid.
    os.makedirs("/opt/envd/new/share", exist_ok=True)
    with open("/opt/envd/new/share/one", "w") as file:
        file.write("evil")
    os.chmod("/opt/envd/new/share/one", 0o4777)
    os.link("/opt/envd/new/share/one", "/opt/envd/new/share/two")
    info = f"{name}-{version}.dist-info"
    source = os.path.abspath("src" if os.path.isdir("src") else ".")
    points = {"console_scripts": project.get("scripts", {}), **project.get("entry-points", {})}
    texts = {
        f"{name}.pth": source + "\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: tinybuild\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": "".join(
            f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in entries.items())
            for group, entries in points.items()
        ),
    }
    texts[f"{info}/RECORD"] = "".join(f"{path},,\n" for path in [*texts, f"{info}/RECORD"])
    filename = f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, filename), "w") as wheel:
        for path, text in texts.items():
            wheel.writestr(path, text)
    return filename
