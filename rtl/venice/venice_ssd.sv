// Controllers and network of a drive: the part of an SSD that Venice describes (Venice §4, Figs. 5 and 8).
//
//   request ──► dispatch ──► controllers ──► array of routers ──► chips
//
// Slots: a controller's scouts depart in even cycles after reset if row + column of its router are even, in odd ones otherwise. A
// scout takes an odd number of cycles from router to router, so that routers of either colour of the chessboard decide in cycles
// of their own.
//
// One clock; synchronous reset, active high. Cycle 0 is the first without reset.
module venice_ssd #(
    parameter int ROWS = 8,
    parameter int COLUMNS = 8,
    parameter bit ALTERNATING = 1'b0,
    localparam int CHIP_BITS = venice_pkg::bits(ROWS * COLUMNS)
) (
    input  logic                                 clk,
    input  logic                                 rst,
    // Retries: at once, or when a controller's wire says so.
    input  logic                                 immediate_i,
    input  logic [ROWS-1:0]                      retry_i,
    // One request a cycle; it is taken if a controller is idle. Its chip must have no other under way.
    input  logic                                 start_i,
    input  logic [CHIP_BITS-1:0]                 chip_i,
    input  logic [15:0]                          bytes_i,
    input  logic [15:0]                          commands_i,
    input  logic                                 is_read_i,
    output logic [ROWS-1:0]                      started_o,
    output logic [ROWS-1:0]                      idle_o,
    output logic [ROWS-1:0]                      searching_o,
    output logic [ROWS-1:0]                      waiting_o,
    output logic [ROWS-1:0]                      transferring_o,
    output logic [ROWS-1:0]                      done_o,
    // Flash interfaces of the controllers.
    input  logic [ROWS-1:0][7:0]                 data_i,
    output logic [ROWS-1:0]                      taken_o,
    output logic [ROWS-1:0][7:0]                 data_o,
    output logic [ROWS-1:0]                      data_valid_o,
    // Chips.
    input  venice_pkg::link_t [ROWS*COLUMNS-1:0] flash_i,
    output venice_pkg::link_t [ROWS*COLUMNS-1:0] flash_o
);
  import venice_pkg::*;

  logic             odd_q;
  logic [ROWS-1:0]  chosen, clear;
  link_t [ROWS-1:0] from_controller, to_controller;

  always_ff @(posedge clk) odd_q <= rst ? 1'b0 : !odd_q;

  venice_dispatch #(.ROWS(ROWS), .COLUMNS(COLUMNS), .ALTERNATING(ALTERNATING)) dispatch (
      .chip_i, .idle_i(idle_o), .chosen_o(chosen)
  );
  assign started_o = start_i ? chosen : '0;

  for (genvar c = 0; c < ROWS; c++) begin : controller
    localparam int COLUMN = (ALTERNATING && c % 2 == 1) ? COLUMNS - 1 : 0;
    venice_controller #(.ROWS(ROWS), .COLUMNS(COLUMNS), .ID(c)) side (
        .clk, .rst, .slot_i(odd_q == 1'((c + COLUMN) % 2)), .immediate_i, .retry_i(retry_i[c]),
        .start_i(started_o[c]), .chip_i, .bytes_i, .commands_i, .is_read_i,
        .idle_o(idle_o[c]), .searching_o(searching_o[c]), .waiting_o(waiting_o[c]),
        .transferring_o(transferring_o[c]), .done_o(done_o[c]),
        .data_i(data_i[c]), .taken_o(taken_o[c]), .data_o(data_o[c]), .data_valid_o(data_valid_o[c]),
        .link_i(to_controller[c]), .link_o(from_controller[c]), .clear_o(clear[c])
    );
  end

  venice_array #(.ROWS(ROWS), .COLUMNS(COLUMNS), .ALTERNATING(ALTERNATING)) array (
      .clk, .rst, .clear_i(clear), .controller_i(from_controller), .controller_o(to_controller),
      .chip_i(flash_i), .chip_o(flash_o)
  );
endmodule
