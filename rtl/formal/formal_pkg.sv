// View of the proof: registers of the hardware gathered by link and controller, and what it remembers beside them.
//
//   sender ──► receiver       a scout on its way:  2 bytes to send ──► 1 byte ──► complete       phase 0, 1, 2
//
// Flits of one byte. Numbers are as wide as any shape that can be proven needs.
package formal_pkg;
  typedef logic [3:0] id_t;
  typedef logic [5:0] chip_t;
  typedef logic [10:0] links_t;
  typedef logic [17:0] cycles_t;

  // States of venice_controller.
  localparam logic [2:0] SEARCH = 3'd2, TRANSFER = 3'd4;

  // Registers of venice_sender and venice_receiver.
  typedef struct packed {
    logic [1:0]          left;
    venice_pkg::kind_t   kind;
    logic [15:0]         packet;
  } sender_t;
  typedef struct packed {
    logic        full;
    logic        count;
    logic [15:0] packet;
  } receiver_t;

  // A scout on its way from a sender to a receiver.
  typedef struct packed {
    logic       valid;
    logic       reserve;
    logic [1:0] phase;
    chip_t      chip;
    id_t        id;
    links_t     links;
  } scout_t;

  // A router's port.
  typedef struct packed {
    // The row by this exit: its packet; whether the scout has returned over it; the links from there to the chip that it counted.
    logic   held;
    id_t    holder;
    logic   passed;
    links_t counted;
    // The row with this entry: its packet; whether it leads to the chip, or the scout has returned over it; its links to the chip.
    logic   enters;
    id_t    entrant;
    logic   to_chip;
    logic   onward;
    links_t beyond;
    // A scout that leaves by this port; a byte of a circuit that does, and its kind.
    scout_t            leaves;
    logic              is_byte;
    venice_pkg::kind_t kind;
  } router_port_t;

  // A controller. `decisions` counts those about its scout, `length` is that of its circuit.
  typedef struct packed {
    logic [2:0] state;
    logic       clear;
    logic       is_read;
    chip_t      chip;
    cycles_t    to_go;
    cycles_t    unsent;
    links_t     length;
    logic [7:0] age;
    logic [7:0] decisions;
    sender_t    sender;
    receiver_t  receiver;
  } controller_t;

  function automatic logic sends_scout(input sender_t from);
    sends_scout = from.kind == venice_pkg::SCOUT && from.left != 2'd0;
  endfunction

  // Cycles that bytes need at the least until all that depends on them has crossed: reads go there and back.
  function automatic cycles_t crossing(input controller_t of);
    crossing = of.is_read ? cycles_t'(of.length) << 1 : cycles_t'(of.length);
  endfunction
endpackage
