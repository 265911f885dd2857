"""Progress of a fit: one line in a terminal, a bar in a notebook."""
import html
import sys
from typing import Any, Dict, Optional


def in_notebook() -> bool:
    """Whether this runs in a kernel that shows HTML."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"


class Progress:
    """Shows epochs as they come.

    Args:
        show: True, False, or "auto": where somebody can see it, in a notebook or on
            a terminal.
        metric: the score that is shown.
    """
    EVERY_SECONDS = 0.1

    def __init__(self, show: Any, metric: str) -> None:
        self.notebook = in_notebook()
        self.metric = metric
        if show == "auto":
            show = self.notebook or sys.stderr.isatty()
        self.active = bool(show)
        self._handle: Optional[Any] = None

    def text(self, report: Dict[str, Any]) -> str:
        """A line about an epoch."""
        val = report["val"].get(self.metric)
        score = "" if val is None else f", val {val:.4f}"
        return (f"epoch {report['epoch']}/{report['epochs']}, loss "
                f"{report['loss']:.4f}{score}, best {report['best_score']:.4f} "
                f"(epoch {report['best_epoch']}), "
                f"{report['seconds_left']:.0f} s left at most")

    def __call__(self, report: Dict[str, Any]) -> None:
        if not self.active:
            return
        line = self.text(report)
        if not self.notebook:
            sys.stderr.write(f"\r\x1b[K{line}")
            sys.stderr.flush()
            return
        from IPython.display import HTML, display  # type: ignore[import]
        shown = HTML(f"<progress max='{report['epochs']}' "
                     f"value='{report['epoch']}' style='width:30%'></progress> "
                     f"<code>{html.escape(line)}</code>")
        if self._handle is None:
            self._handle = display(shown, display_id=True)
        else:
            self._handle.update(shown)

    def close(self) -> None:
        """Leaves the line."""
        if self.active and not self.notebook:
            sys.stderr.write("\n")
