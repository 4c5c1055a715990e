"""Protocol buffers on the wire, as far as writing needs them.

A field is a key (number and wire type) and a value. See https://protobuf.dev/programming-guides/encoding/.
"""

from functools import lru_cache

_VARINT, _FIXED64, _LENGTH = 0, 1, 2
_SINGLE = tuple(number.to_bytes(1, "little") for number in range(0x80))


def varint(number: int) -> bytes:
    if number < 0x80:
        return _SINGLE[number]
    groups = bytearray()
    while number >= 0x80:
        groups.append(number & 0x7F | 0x80)
        number >>= 7
    groups.append(number)
    return bytes(groups)


def uint(field: int, number: int) -> bytes:
    return _key(field, _VARINT) + varint(number)


def fixed64(field: int, number: int) -> bytes:
    return _key(field, _FIXED64) + number.to_bytes(8, "little")


def message(field: int, body: bytes) -> bytes:
    return _key(field, _LENGTH) + varint(len(body)) + body


def text(field: int, string: str) -> bytes:
    return message(field, string.encode("utf-8"))


@lru_cache
def _key(field: int, wire_type: int) -> bytes:
    return varint(field << 3 | wire_type)
