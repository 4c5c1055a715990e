//! Rules between the keys of an attachment.

use crate::attach::{Attachment, AttachmentKind, PortInterface};
use crate::check::{Checked, require, spelt};
use crate::design::{Design, LinkKind, Protocol};
use crate::pc::Pc;
use crate::units::Size;

pub fn check_attachment(attachment: &Attachment) -> Checked {
    check_sizes(attachment)?;
    check_rates(attachment)?;
    if attachment.kind == AttachmentKind::None {
        return require(attachment.interface.is_none(), "attachment.interface", || {
            "needs attachment.kind to be one of sbsp, nbsp, sbdp, nbdp: nothing is attached".to_owned()
        });
    }
    check_interface(attachment)?;
    check_platform(attachment)
}

/// Checks a PC.
pub fn check_pc(pc: &Pc) -> Checked {
    require(pc.attachment.kind != AttachmentKind::None, "attachment.kind", || {
        "got none, expected one of sbsp, nbsp, sbdp, nbdp".to_owned()
    })?;
    require(pc.network.rate.0 > 0, "network.rate", || format!("got \"{}\", expected a rate above 0", pc.network.rate))?;
    check_attachment(&pc.attachment)
}

fn check_interface(attachment: &Attachment) -> Checked {
    let (kind, port) = (attachment.kind, attachment.port());
    require(!kind.is_south() || port != PortInterface::Ddr2, "attachment.interface", || {
        format!(
            "got \"ddr2\" for {}, expected pata or sata: a south bridge has no DRAM channel to carry it",
            kind.name()
        )
    })
}

fn check_platform(attachment: &Attachment) -> Checked {
    let (kind, platform) = (attachment.kind, &attachment.platform);
    let dram = attachment.port() == PortInterface::Ddr2;
    let needs = [
        ("north_dma", platform.north_dma, dram, "a DRAM interface is moved by the DRAM controller's own DMA engine"),
        ("dqs", platform.dqs, dram, "a drive cannot promise a latency and must signal when data are ready"),
        ("dual_port_dram", platform.dual_port_dram, kind.is_dual(), "the direct path ends at memory's second port"),
        (
            "command_packing",
            platform.command_packing,
            kind.is_dual(),
            "one command has to start the DMAs of both ports",
        ),
    ];
    needs.into_iter().try_for_each(|(key, has, needed, why)| {
        require(has || !needed, &format!("attachment.platform.{key}"), || {
            format!("got false, expected true for {} with a {} port: {why}", kind.name(), attachment.port().name())
        })
    })
}

fn check_sizes(attachment: &Attachment) -> Checked {
    let dma = &attachment.dma;
    let power = |key: &str, size: Size, low: u64, high: u64| {
        require(size.0.is_power_of_two() && (low..=high).contains(&size.0), key, || {
            format!("got \"{size}\", expected a power of two from \"{}\" to \"{}\"", Size(low), Size(high))
        })
    };
    power("attachment.dma.chunk", dma.chunk, 64, 8192)?;
    power("attachment.ata.frame", attachment.ata.frame, dma.chunk.0, 1 << 20)?;
    let payload = attachment.bridges.max_payload;
    require((16..=4096).contains(&payload.0), "attachment.bridges.max_payload", || {
        format!("got \"{payload}\", expected from \"16B\" to \"4096B\" (PCI Express: 128 B to 4 KiB)")
    })
}

fn check_rates(attachment: &Attachment) -> Checked {
    let rates = [
        ("bridges.lane_rate", attachment.bridges.lane_rate),
        ("ata.rate", attachment.ata_rate()),
        ("ddr.rate", attachment.ddr.rate),
        ("direct.rate", attachment.direct.rate),
    ];
    rates.into_iter().try_for_each(|(key, rate)| {
        require(rate.0 > 0, &format!("attachment.{key}"), || format!("got \"{rate}\", expected a rate above 0"))
    })
}

pub(super) fn check_protocol(design: &Design) -> Checked {
    let (attachment, protocol) = (&design.attachment, design.host.protocol);
    let has_pins = design.link.kind == LinkKind::Hbm;
    require(protocol == Protocol::Memory || !has_pins, "link.kind", || {
        format!("got \"hbm\" with host.protocol = {}, expected host.protocol = \"memory\"", spelt(protocol))
    })?;
    require(design.link.lanes <= 32 || design.link.kind != LinkKind::Pcie, "link.lanes", || {
        format!("got {}, expected from 1 to 32 with link.kind = \"pcie\"", design.link.lanes)
    })?;
    require(attachment.kind == AttachmentKind::None || protocol != Protocol::Memory, "host.protocol", || {
        format!("got \"memory\" with attachment {}, expected nvme or sata", attachment.kind.name())
    })?;
    let on_dram = attachment.kind != AttachmentKind::None && attachment.port() == PortInterface::Ddr2;
    require(design.host.protocol == Protocol::Nvme || !on_dram, "host.protocol", || {
        format!(
            "got sata, expected nvme for attachment {} with a DRAM interface, which carries no frames",
            attachment.kind.name()
        )
    })
}
