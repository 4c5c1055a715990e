// Types and constants of NoSSD's mesh, as Venice §3.2 describes it: links of 8 bits each way, a buffer of 16 KB at each input.
//
//   packet: destination │ length, high byte │ length, low byte │ length bytes of payload
//
// Ports as in venice_pkg: 0 Right, 1 Left, 2 Up, 3 Down; 4 is the flash chip's (or, at the edge, the controller's is Left).
package nossd_pkg;
  localparam int PORTS = 5;
  localparam int HEADER = 3;

  typedef logic [2:0] port_t;
  localparam port_t RIGHT = 3'd0;
  localparam port_t LEFT = 3'd1;
  localparam port_t UP = 3'd2;
  localparam port_t DOWN = 3'd3;
  localparam port_t CHIP = 3'd4;

  // What one end of a link drives: a byte, and whether a byte has left its buffer for the other end to send one more.
  typedef struct packed {
    logic       valid;
    logic [7:0] data;
    logic       credit;
  } link_t;

  function automatic int bits(input int count);
    bits = (count <= 2) ? 1 : $clog2(count);
  endfunction
endpackage
