// Types and constants of Venice's network.
//
//                 Up (1 row higher)
//                        │
//  Left ──── router ──── Right (1 column higher)        ports 0 Right, 1 Left, 2 Up, 3 Down; 4 is the flash chip's
//              │ │
//          Down  chip
//
// Rows and columns count as in Algorithm 1 of "Venice" (ISCA 2023) §4.3. A link has eight data wires, used one way at a time, and
// for each direction a valid wire and two that tell what the byte is.
package venice_pkg;
  localparam int PORTS = 4;

  typedef logic [1:0] port_t;
  localparam port_t RIGHT = 2'd0;
  localparam port_t LEFT = 2'd1;
  localparam port_t UP = 2'd2;
  localparam port_t DOWN = 2'd3;

  // What a byte on a link is.
  typedef logic [1:0] kind_t;
  localparam kind_t SCOUT = 2'd0;
  // A command or address cycle of the flash chip.
  localparam kind_t COMMAND = 2'd1;
  localparam kind_t DATA = 2'd2;
  // A read strobe on its way to the chip: the data wires are the chip's.
  localparam kind_t STROBE = 2'd3;

  // What one end of a link drives.
  typedef struct packed {
    logic       valid;
    kind_t      kind;
    logic [7:0] data;
  } link_t;

  // Bits that tell `count` things apart, one at least.
  function automatic int bits(input int count);
    bits = (count <= 2) ? 1 : $clog2(count);
  endfunction

  // Bits of a scout flit: two of type, and the wider of chip and controller number, in whole bytes (Fig. 6).
  function automatic int flit_bits(input int chips, input int controllers);
    flit_bits = (((bits(chips) > bits(controllers)) ? bits(chips) : bits(controllers)) + 2 + 7) / 8 * 8;
  endfunction
endpackage
