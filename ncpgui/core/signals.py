"""The one Signal type of all evented objects: psygnal, which knows nothing of Qt."""

from __future__ import annotations

from psygnal import Signal, SignalInstance

__all__ = ["Signal", "SignalInstance"]
