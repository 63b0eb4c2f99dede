"""A package index shows the README without the files beside it: no link there leads nowhere."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys

from tests.docs.printed import ROOT

readme_for_index = runpy.run_path(str(ROOT / "scripts" / "readme_for_index.py"))["readme_for_index"]


def test_without_an_address_words_stay_and_relative_links_go() -> None:
    text = "![A window](docs/a.png)\n\nSee [the guide](docs/a.md#keys), [b](https://c.d) and [e](#f).\n"
    assert readme_for_index(text, "") == "See the guide, [b](https://c.d) and [e](#f).\n"


def test_with_an_address_relative_links_are_absolute() -> None:
    text = "![A window](docs/a.png) [the guide](docs/guide.md) [b](https://c.d)\n"
    assert readme_for_index(text, "https://x.y/") == (
        "![A window](https://x.y/docs/a.png) [the guide](https://x.y/docs/guide.md) [b](https://c.d)\n"
    )


def test_the_description_in_the_metadata_has_no_relative_link() -> None:
    done = subprocess.run(
        [sys.executable, "setup.py", "--long-description"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0 or "setuptools" in done.stderr, done.stderr
    if done.returncode == 0:
        links = re.findall(r"\]\(([^)]*)\)", done.stdout)
        assert [link for link in links if not re.match(r"https?://|#|mailto:", link)] == []
        assert "Spike sorting that shows the alternatives" in done.stdout
