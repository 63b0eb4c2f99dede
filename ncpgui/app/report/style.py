"""How a report looks: light and dark as the system is, and on paper."""

from __future__ import annotations

from ncpgui.app.model.colors import DARK, LIGHT


def style() -> str:
    """The style sheet, which stands in the page."""
    return f"{_variables()}\n{RULES}"


def _variables() -> str:
    light, dark = (
        "".join(f"--u{k}:{color};" for k, color in enumerate(palette)) for palette in (LIGHT, DARK)
    )
    units = "".join(f".u{k}{{fill:var(--u{k})}}.s{k}{{stroke:var(--u{k})}}" for k in range(len(LIGHT)))
    on_light = (
        "--page:#fff;--text:#1a2030;--muted:#5d677a;--line:#dde1e9;--soft:#f5f6f9;--accent:#4453c7;"
        "--amber:#a86200;"
    )
    on_dark = (
        "--page:#12151b;--text:#e8ebf1;--muted:#9aa4b5;--line:#2b303b;--soft:#181b22;--accent:#8c9bff;"
        "--amber:#f0b04a;"
    )
    return (
        f":root{{color-scheme:light dark;{on_light}{light}}}"
        f"@media screen and (prefers-color-scheme:dark){{:root{{{on_dark}{dark}}}}}{units}"
    )


RULES = """
*{box-sizing:border-box}
body{margin:0 auto;max-width:1240px;padding:24px 28px 60px;background:var(--page);color:var(--text);
font:14px/1.5 Inter,"Segoe UI","Noto Sans",system-ui,sans-serif}
h1{font-size:24px;margin:0 0 2px}h2{font-size:18px;margin:34px 0 10px;padding-top:10px;
border-top:1px solid var(--line)}h3{font-size:15px;margin:0}
p{margin:4px 0 10px;max-width:75ch}.muted,small{color:var(--muted)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:2px 18px;margin:8px 0}dt{color:var(--muted)}
dd{margin:0;overflow-wrap:anywhere}
.top{display:flex;gap:40px;flex-wrap:wrap;align-items:flex-start}
table{border-collapse:collapse;width:100%;font-size:13px;
font-variant-numeric:tabular-nums}
th,td{padding:3px 10px 3px 0;text-align:right;white-space:nowrap}th{color:var(--muted);font-weight:500;
border-bottom:1px solid var(--line)}td{border-bottom:1px solid var(--line)}
th.l,td.l{text-align:left}td.wrap{white-space:normal}
.scroll{overflow-x:auto}
.swatch{display:inline-block;width:10px;height:10px;border-radius:50%;margin-right:6px}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(345px,1fr));gap:12px}
.card{border:1px solid var(--line);border-radius:8px;padding:10px 12px;background:var(--soft);
break-inside:avoid}
.card header{display:flex;justify-content:space-between;align-items:baseline}
.pictures{display:flex;gap:12px;align-items:flex-end;margin:6px 0}
.open{color:var(--amber);font-weight:600}
svg{display:block;max-width:100%}svg text{fill:var(--muted);font-size:10px}
td svg{display:inline-block;vertical-align:middle;max-width:none}
.contact{fill:none;stroke:var(--muted);stroke-width:1}.wave{fill:none;stroke-width:1.2;opacity:.75}
.wave.main{stroke-width:2;opacity:1}.axis{stroke:var(--muted);stroke-width:1}
.track{stroke:var(--line);stroke-width:1}.bar{stroke:var(--accent);stroke-width:4;stroke-linecap:round}
.dot{fill:var(--text)}
ol{padding-left:22px;margin:6px 0}li{margin:2px 0}
@media print{body{max-width:none;padding:0;font-size:11px}
table{font-size:7.5pt}th,td{padding:2px 6px 2px 0}td svg{width:60px}h2{break-after:avoid}
tr{break-inside:avoid}
.cards{grid-template-columns:repeat(2,1fr)}.scroll{overflow:visible}
*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
"""
