"""Venice in hardware: waveforms and an animation of what `rtl/` does with the transfers of a run."""
