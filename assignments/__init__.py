"""The assignments that come with Attest: folders of content, found by name; no code stands here."""
