"""From a recording to a sorting: channels propose, matching finds units, components say what is in doubt."""
