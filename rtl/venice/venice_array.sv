// ROWS × COLUMNS routers with the links between them (Venice §4.1, Fig. 5).
//
//   controller 1 ── R ── R ── R      odd controllers at the last column if ALTERNATING
//                   │    │    │
//   controller 0 ── R ── R ── R      router r × COLUMNS + c in row r, column c
//
// One clock; synchronous reset, active high.
module venice_array #(
    parameter int ROWS = 8,
    parameter int COLUMNS = 8,
    parameter bit ALTERNATING = 1'b0
) (
    input  logic                                  clk,
    input  logic                                  rst,
    input  logic [ROWS-1:0]                       clear_i,
    input  venice_pkg::link_t [ROWS-1:0]          controller_i,
    output venice_pkg::link_t [ROWS-1:0]          controller_o,
    input  venice_pkg::link_t [ROWS*COLUMNS-1:0]  chip_i,
    output venice_pkg::link_t [ROWS*COLUMNS-1:0]  chip_o
);
  import venice_pkg::*;

  localparam int ROW_BITS = bits(ROWS);
  localparam int COLUMN_BITS = bits(COLUMNS);

  for (genvar r = 0; r < ROWS; r++) begin : row
    for (genvar c = 0; c < COLUMNS; c++) begin : column
      localparam bit WEST = c == 0;
      localparam bit EAST = c == COLUMNS - 1;
      localparam bit AT_EAST = ALTERNATING && r % 2 == 1;
      localparam logic [3:0] LINKED = {r > 0, r < ROWS - 1, !WEST, !EAST};

      link_t [3:0] in, out;
      logic [3:0] held, holds;

      venice_router #(.ROWS(ROWS), .COLUMNS(COLUMNS)) router (
          .clk, .rst,
          .row_i(ROW_BITS'(r)), .column_i(COLUMN_BITS'(c)), .linked_i(LINKED),
          .seed_i(2'((r * COLUMNS + c) % 3 + 1)), .clear_i,
          .link_i(in), .link_o(out), .held_i(held), .held_o(holds),
          .chip_i(chip_i[r*COLUMNS+c]), .chip_o(chip_o[r*COLUMNS+c])
      );

      if (!EAST) begin : g_right
        assign in[RIGHT] = row[r].column[c+1].out[LEFT];
        assign held[RIGHT] = row[r].column[c+1].holds[LEFT];
      end else begin : g_right
        assign in[RIGHT] = AT_EAST ? controller_i[r] : '0;
        assign held[RIGHT] = 1'b0;
      end
      if (!WEST) begin : g_left
        assign in[LEFT] = row[r].column[c-1].out[RIGHT];
        assign held[LEFT] = row[r].column[c-1].holds[RIGHT];
      end else begin : g_left
        assign in[LEFT] = AT_EAST ? '0 : controller_i[r];
        assign held[LEFT] = 1'b0;
      end
      if (r < ROWS - 1) begin : g_up
        assign in[UP] = row[r+1].column[c].out[DOWN];
        assign held[UP] = row[r+1].column[c].holds[DOWN];
      end else begin : g_up
        assign in[UP] = '0;
        assign held[UP] = 1'b0;
      end
      if (r > 0) begin : g_down
        assign in[DOWN] = row[r-1].column[c].out[UP];
        assign held[DOWN] = row[r-1].column[c].holds[UP];
      end else begin : g_down
        assign in[DOWN] = '0;
        assign held[DOWN] = 1'b0;
      end
      if (AT_EAST ? EAST : WEST) begin : g_controller
        assign controller_o[r] = out[AT_EAST ? RIGHT : LEFT];
      end

`ifdef VENICE_ASSERT
      // The data wires of a link are driven from one end only, and not at all at an edge.
      always_ff @(posedge clk) if (!rst) begin
        for (int p = 0; p < PORTS; p++) begin
          assert (!(in[p].valid && in[p].kind != STROBE && out[p].valid && out[p].kind != STROBE));
          if (!LINKED[p] && 2'(p) != (AT_EAST ? RIGHT : LEFT)) assert (!out[p].valid);
        end
      end
`endif
    end
  end
endmodule
