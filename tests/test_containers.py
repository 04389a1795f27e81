"""The container files are valid by the published schema, complete, and free of passwords."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from config.env import SingleSignOn, mail, single_sign_on
from config.settings import QUEUES
from tests.config.deploy.process_set import ORDER

ROOT = Path(__file__).resolve().parent.parent


BUCKET = "config/deploy/compose.object-store.yml"
LAID_OVER = sorted((ROOT / "config" / "deploy").glob("compose.*.yml"))


def test_the_compose_files_follow_the_compose_specification() -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]
    files = [ROOT / "docker-compose.yml", *LAID_OVER]
    done = subprocess.run([*command, *files], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("path", LAID_OVER, ids=lambda path: path.name)
def test_what_is_laid_over_it_changes_no_more_than_it_names(path: Path) -> None:
    laid, below = YAML(typ="safe").load(path.read_text()), compose()
    assert set(laid["services"]) <= set(below["services"])
    # Where a file of the list is merged, nothing of what hardens a container is taken back.
    hardening = {"read_only", "cap_drop", "security_opt", "user", "ports", "privileged", "cap_add"}
    assert not any(hardening & set(service) for service in laid["services"].values())
    for service in laid["services"].values():
        assert set(service.get("secrets", [])) <= set(laid["secrets"])
        assert set(service.get("networks", [])) <= {*below["networks"], *laid.get("networks", {})}
    named = re.findall(r"COMPOSE_FILE=(\S+)", path.read_text())
    assert named == [f"docker-compose.yml:config/deploy/{path.name}"]


def test_single_sign_on_in_containers_is_told_all_it_needs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    laid = YAML(typ="safe").load((ROOT / "config/deploy/compose.single-sign-on.yml").read_text())
    secret = tmp_path / "oidc_client_secret"
    secret.write_text("of this test\n")
    filled = {"OIDC_ISSUER": "https://id.example.org", "OIDC_CLIENT_ID": "labels", "OIDC_NAME": "Example"}
    for name, value in laid["services"]["web"]["environment"].items():
        monkeypatch.setenv(name, filled.get(name) or value.replace("/run/secrets", str(tmp_path)))
    assert single_sign_on() == SingleSignOn("Example", "https://id.example.org", "labels", "of this test")


def compose(name: str = "docker-compose.yml") -> dict[str, Any]:
    return dict(YAML(typ="safe").load((ROOT / name).read_text()))


APP = ("web", "worker", "files", "beat", "migrate")


RUN = ROOT / "config" / "deploy" / "run.sh"


def test_the_compose_file_runs_the_whole_set() -> None:
    services = compose()["services"]
    assert set(services) == {*ORDER, "migrate"}
    for name in ("web", "worker", "files", "beat"):
        assert services[name]["command"] == ["config/deploy/run.sh", name]


def test_the_workers_of_the_set_serve_every_queue_between_them() -> None:
    served = ",".join(re.findall(r"--queues (\S+)", RUN.read_text()))
    assert sorted(served.split(",")) == sorted(QUEUES)


PACKAGES = ROOT / "config" / "deploy" / "packages"


def test_a_server_from_packages_has_the_settings_of_the_containers() -> None:
    told = dict(
        line.split("=", 1) for line in (PACKAGES / "environment").read_text().splitlines() if line[:1] != "#"
    )
    in_containers = compose()["services"]["web"]["environment"]
    of_the_image = re.findall(r"^(?:ENV|   ) ([A-Z_]+)=", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    # Code is not compiled there, and the installer writes the name of the site.
    expected = {*in_containers, *of_the_image} - {"PATH", "PYTHONDONTWRITEBYTECODE"}
    assert {*told, "ALLOWED_HOSTS", "SITE_ADDRESS"} - {"PYTHON"} == expected
    for name in ("HTTPS", "MEDIA_BY_PROXY", "LOG_FORMAT", "LOG_LEVEL"):
        assert told[name] == in_containers[name]


def test_the_units_are_valid_and_start_what_the_containers_start() -> None:
    unit = (PACKAGES / "anatomark@.service").read_text()
    assert "ExecStart=/opt/anatomark/config/deploy/run.sh %i\n" in unit
    installed = (PACKAGES / "install.sh").read_text()
    assert set(re.findall(r"anatomark@(\w+)", installed)) == {"web", "worker", "files", "beat"}


def test_the_installer_keeps_the_settings_of_the_operator(tmp_path: Path) -> None:
    """As the documented second run after an upgrade; another name of the site is refused."""
    settings = tmp_path / "anatomark.env"
    lines = (PACKAGES / "install.sh").read_text().replace("own=/etc/anatomark.env", f"own={settings}")
    steps = "\n".join(line for line in lines.splitlines() if re.search(r"^own=|\$own\b", line))

    def install(host: str) -> tuple[int, str]:
        command = ["sh", "-euc", f"host={host}\n{steps}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.returncode, done.stderr

    written = "ALLOWED_HOSTS=labels.example.org\nSITE_ADDRESS=labels.example.org\n"
    assert install("labels.example.org") == (0, "")
    assert (settings.read_text(), oct(settings.stat().st_mode)[-3:]) == (written, "600")
    settings.write_text(own := written + "EMAIL_FROM=labels@example.org\n")
    assert install("labels.example.org") == (0, "")
    assert install("other.example.org") == (1, f"{settings} does not name other.example.org.\n")
    assert settings.read_text() == own


def test_commands_find_files_from_the_folder_in_which_they_are_typed(tmp_path: Path) -> None:
    settings = tmp_path / "anatomark.env"
    told = {"PYTHON": sys.executable, "SECRET_KEY_FILE": "", "SECRET_KEY": "5f0a9c" * 8, "VAR_DIR": tmp_path}
    told |= {"MEDIA_ROOT": tmp_path, "DATABASE_PASSWORD_FILE": "", "REDIS_PASSWORD_FILE": ""}
    settings.write_text("".join(f"{name}={value}\n" for name, value in told.items()))
    place = str(PACKAGES / "manage.sh")
    script = Path(place).read_text().replace("/etc/anatomark.env", str(settings))
    words = ["shell", "--no-imports", "-c", "import os; print(os.getcwd())"]
    command = ["sh", "-c", script.replace("runuser -u anatomark -- ", ""), place, *words]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout == f"{tmp_path}\n", done.stderr


def test_every_container_is_hardened_and_comes_back() -> None:
    lines = (ROOT / "Dockerfile").read_text().splitlines()
    assert [line for line in lines if line.startswith("USER")] == ["USER 10001:10001"]
    for name, service in compose()["services"].items():
        assert service["read_only"] is True, name
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert not service["user"].startswith(("0", "root")), name
        assert service["restart"] == ("no" if name == "migrate" else "unless-stopped"), name
        answers = name not in {"migrate", "worker", "files", "beat"}
        assert not answers or service["healthcheck"]["test"], name


def test_only_the_proxy_is_reached_from_outside() -> None:
    found = compose()
    assert [name for name, service in found["services"].items() if "ports" in service] == ["proxy"]
    assert found["networks"]["inside"]["internal"] is True
    assert [n for n, service in found["services"].items() if "outside" in service["networks"]] == ["proxy"]


def test_secrets_come_from_files_and_none_has_a_default() -> None:
    found = compose()
    for name in APP:
        environment = found["services"][name]["environment"]
        assert {key for key in environment if key.endswith("_FILE")} == {
            "SECRET_KEY_FILE",
            "DATABASE_PASSWORD_FILE",
            "REDIS_PASSWORD_FILE",
        }
        assert not {"SECRET_KEY", "DATABASE_PASSWORD", "REDIS_PASSWORD"} & set(environment)
        assert "@postgres" in environment["DATABASE_URL"]
        assert ":" not in environment["DATABASE_URL"].split("//")[1].split("@")[0]  # a name, no password
    for service in found["services"].values():
        used = [each if isinstance(each, str) else each["source"] for each in service.get("secrets", [])]
        assert set(used) <= set(found["secrets"])


def test_the_script_makes_every_secret_once(tmp_path: Path) -> None:
    (tmp_path / "config" / "deploy").mkdir(parents=True)
    script = shutil.copy(ROOT / "config" / "deploy" / "make_secrets.sh", tmp_path / "config" / "deploy")
    subprocess.run([script, "labels.example.org"], check=True, capture_output=True)
    made = {path.name: path.read_bytes() for path in (tmp_path / "secrets").iterdir()}
    assert set(made) == {Path(secret["file"]).name for secret in compose()["secrets"].values()}
    assert len(set(made.values())) == len(made)
    assert (tmp_path / "secrets").stat().st_mode & 0o777 == 0o700
    subprocess.run([script, "labels.example.org"], check=True, capture_output=True)
    assert {path.name: path.read_bytes() for path in (tmp_path / "secrets").iterdir()} == made


def test_mail_in_containers_is_told_all_it_needs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found = compose("config/deploy/compose.mail.yml")
    assert set(found["services"]) == set(APP)
    told = found["services"]["worker"]
    assert (told["networks"], set(told["secrets"])) == (["outside"], set(found["secrets"]))
    (tmp_path / "email_password").write_text("of this test\n")
    filled = {"EMAIL_URL": "smtp+tls://labels@mail.example.org:587", "EMAIL_FROM": "labels@example.org"}
    for name, value in told["environment"].items():
        monkeypatch.setenv(name, filled.get(name) or value.replace("/run/secrets", str(tmp_path)))
    sent = mail()
    assert (sent["EMAIL_HOST"], sent["EMAIL_HOST_USER"], sent["EMAIL_HOST_PASSWORD"]) == (
        "mail.example.org",
        "labels",
        "of this test",
    )


def test_a_bucket_is_told_to_every_process_that_reads_media() -> None:
    found, text = compose(BUCKET), (ROOT / BUCKET).read_text()
    assert set(found["services"]) == {*APP, "proxy"}
    assert found["services"].keys() <= compose()["services"].keys()
    for name in APP:
        told = found["services"][name]
        assert set(told["environment"]) == {
            *("MEDIA_STORE", "MEDIA_STORE_ENDPOINT", "MEDIA_STORE_REGION"),
            *("MEDIA_STORE_ACCESS_KEY_FILE", "MEDIA_STORE_SECRET_KEY_FILE"),
        }
        assert told["networks"] == ["outside"]
        assert set(told["secrets"]) == set(found["secrets"])
        places = [place for key, place in told["environment"].items() if key.endswith("_FILE")]
        assert {Path(place).name for place in places} == set(found["secrets"])
    template = (ROOT / "config" / "deploy" / "object-store.conf.template").read_text()
    wanted = set(re.findall(r"\$\{(ANATOMARK_[A-Z_]+)\}", template))
    assert wanted == set(found["services"]["proxy"]["environment"])
    assert re.findall(r"\./(config/deploy/[\w.-]+):", text) == ["config/deploy/object-store.conf.template"]
    assert (
        "include ${ANATOMARK_TEMP}/object-store*.conf;"
        in (ROOT / "config" / "deploy" / "nginx.conf.template").read_text()
    )
