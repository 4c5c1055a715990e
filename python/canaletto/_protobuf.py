"""Protocol buffers on the wire: as much of the encoding as writing takes.

A message is its fields one after the other; a field is a key (number and wire type) and a value. See
https://protobuf.dev/programming-guides/encoding/.
"""

_VARINT, _FIXED64, _LENGTH = 0, 1, 2


def varint(number: int) -> bytes:
    """A whole number from 0 to 2^64 - 1 in groups of seven bits, the lowest first."""
    if number < 0x80:
        return number.to_bytes(1, "little")
    groups = bytearray()
    while number >= 0x80:
        groups.append(number & 0x7F | 0x80)
        number >>= 7
    groups.append(number)
    return bytes(groups)


def uint(field: int, number: int) -> bytes:
    """A field of a whole number, an enumeration or a truth value."""
    return varint(field << 3 | _VARINT) + varint(number)


def fixed64(field: int, number: int) -> bytes:
    """A field of eight bytes."""
    return varint(field << 3 | _FIXED64) + number.to_bytes(8, "little")


def message(field: int, *parts: bytes) -> bytes:
    """A field of a message, given as its fields."""
    body = b"".join(parts)
    return varint(field << 3 | _LENGTH) + varint(len(body)) + body


def text(field: int, string: str) -> bytes:
    """A field of text."""
    return message(field, string.encode("utf-8"))
