"""Files in and out: run folders, frames, timelines, and what other simulators and fio read and write."""
