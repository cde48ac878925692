"""What the index is made of. Another analyzer, model or dimension means another index."""

import hashlib
from typing import Any

from remembrancer.errors import Invalid

ENGINES = ("lucene", "faiss")
MAX_KEYWORD = 8_191
"""Characters; a term may have 32,766 bytes."""

_ANALYSIS = {
    "filter": {
        "mem_possessive": {"type": "stemmer", "language": "possessive_english"},
        "mem_stem": {"type": "stemmer", "language": "english"},
    },
    "analyzer": {
        "mem_text": {
            "type": "custom",
            "tokenizer": "standard",
            "filter": ["cjk_width", "lowercase", "cjk_bigram", "asciifolding", "mem_possessive", "mem_stem"],
        },
        "mem_exact": {"type": "custom", "tokenizer": "standard", "filter": ["lowercase"]},
    },
}
_KEYWORD = {"type": "keyword", "ignore_above": MAX_KEYWORD}
_TEXT = {"type": "text", "analyzer": "mem_text"}
_DATE = {"type": "date", "format": "epoch_millis"}
_KEPT = {"type": "text", "index": False}
_RETURNED = {"type": "binary", "doc_values": True}


def index_name(prefix: str, identity: str) -> str:
    """Names of one identity share a hash, so that those of another stay apart."""
    return f"{prefix}-{hashlib.sha256(identity.encode()).hexdigest()[:10]}"


def definition(identity: str, dimension: int, engine: str, aliases: tuple[str, str]) -> dict[str, Any]:
    """The body that creates the index with its read and write alias."""
    if engine not in ENGINES:
        # Without a name the server takes one of its own, which may not be there.
        raise Invalid("the vector engine is lucene or faiss", field="engine")
    read, write = aliases
    return {
        "settings": {
            "index": {
                "knn": True,
                "number_of_shards": 1,
                "auto_expand_replicas": "0-1",
                "refresh_interval": "5s",
                "gc_deletes": "1h",
                "analysis": _ANALYSIS,
            }
        },
        "mappings": {
            "dynamic": "strict",
            "_meta": {"identity": identity},
            "properties": _properties(dimension, engine),
        },
        "aliases": {read: {}, write: {"is_write_index": True}},
    }


def _properties(dimension: int, engine: str) -> dict[str, Any]:
    keywords = ("type", "space", "page", "section", "group", "kind", "source", "entities", "entries", "model")
    method = {"name": "hnsw", "engine": engine, "space_type": "cosinesimil"}
    return {
        **dict.fromkeys(keywords, _KEYWORD),
        **{name: {"type": "integer"} for name in ("ordinal", "words")},
        **{name: {"type": "boolean"} for name in ("question", "timed", "active", "filed")},
        "rev": {"type": "long"},
        "at": _DATE,
        "fresh_at": _DATE,
        "shown": _KEPT,
        "whole": _KEPT,
        "names": {"type": "keyword", "index": False, "doc_values": False},
        "whole_entries": _KEPT,
        "mentions": {"type": "integer", "index": False, "doc_values": False},
        "title": _TEXT,
        "text": {**_TEXT, "fields": {"exact": {"type": "text", "analyzer": "mem_exact"}}},
        **dict.fromkeys(("ctx", "line_text", "line_ctx"), _TEXT),
        "vec": {"type": "knn_vector", "dimension": dimension, "method": method},
        "unit": _RETURNED,
        "v8": _RETURNED,
        "c8": _RETURNED,
    }
