// Router chip beside a flash chip: scouts reserve its ports, circuits cross it (Venice §4.1 to §4.3, Fig. 7, Algorithm 1).
//
//                  ┌────────────────────────────────────────────────────────────┐
//   4 links in ───►│ receivers ──► lowest number first ──► 4 × choice ──► table │
//                  │     │                                   │    ▲        │    │
//                  │     │                                   │  tried      │    │
//                  │     └──────────────► crossbar ◄─────────│─────────────┘    │
//                  │                         └──► senders ◄──┘                  │───► 4 links out
//                  └──────────────── chip port (not registered) ────────────────┘
//
// A scout is complete in the receiver in some cycle; in that cycle all is decided, and its first byte is on the next link a cycle
// later: two flits on the wires and one cycle here. The table has a row for each exit, because a packet may come by more than
// once. Scouts that are complete in the same cycle are served one after the other within it, the lowest packet number first.
// Neighbours never decide in the same cycle (venice_ssd sees to it), so that no link is taken from both ends.
//
// One clock; synchronous reset, active high. Position and first state of the register come by straps: all routers are alike.
module venice_router #(
    parameter int ROWS = 8,
    parameter int COLUMNS = 8,
    localparam int ID_BITS = venice_pkg::bits(ROWS),
    localparam int ROW_BITS = venice_pkg::bits(ROWS),
    localparam int COLUMN_BITS = venice_pkg::bits(COLUMNS)
) (
    input  logic                        clk,
    input  logic                        rst,
    // Straps: place, ports that lead to a neighbour, first state of the register (1 to 3).
    input  logic [ROW_BITS-1:0]         row_i,
    input  logic [COLUMN_BITS-1:0]      column_i,
    input  logic [3:0]                  linked_i,
    input  logic [1:0]                  seed_i,
    // A wire of each controller: forget what its packet tried and holds.
    input  logic [ROWS-1:0]             clear_i,
    input  venice_pkg::link_t [3:0]     link_i,
    output venice_pkg::link_t [3:0]     link_o,
    // Whether the neighbour, or this router, holds the link.
    input  logic [3:0]                  held_i,
    output logic [3:0]                  held_o,
    input  venice_pkg::link_t           chip_i,
    output venice_pkg::link_t           chip_o
);
  import venice_pkg::*;

  localparam int CHIP_BITS = bits(ROWS * COLUMNS);
  localparam int FLIT_BITS = flit_bits(ROWS * COLUMNS, ROWS);
  localparam int FIELD = FLIT_BITS - 2;
  localparam int UNUSED = FIELD - ID_BITS;
  localparam int PACKET_BITS = 2 * FLIT_BITS;
  localparam int EJECTION = 4;

  typedef logic [ID_BITS-1:0] id_t;

  // Reservation table, by exit; outputs that each packet has tried; the register.
  logic  [4:0]           valid_q, valid_d;
  id_t   [4:0]           id_q, id_d;
  port_t [4:0]           entry_q, entry_d;
  logic  [ROWS-1:0][3:0] tried_q, tried_d;
  logic  [1:0]           lfsr_q;

  // ---- Scouts that are complete ----
  logic [3:0]                  full, reserve, returning, arrives;
  logic [3:0][PACKET_BITS-1:0] packet;
  id_t  [3:0]                  id;
  logic [3:0][CHIP_BITS-1:0]   chip;
  port_t [3:0]                 entry;

  for (genvar p = 0; p < PORTS; p++) begin : g_port
    venice_receiver #(.FLIT_BITS(FLIT_BITS)) receiver (
        .clk, .rst, .link_i(link_i[p]), .full_o(full[p]), .packet_o(packet[p])
    );
    assign chip[p] = packet[p][FLIT_BITS+FIELD-1-:CHIP_BITS];
    assign id[p] = packet[p][FIELD-1-:ID_BITS];
    assign reserve[p] = packet[p][PACKET_BITS-2];
    // A scout in reserve mode that comes in where this router sent it out returns from the chip.
    assign returning[p] = full[p] && reserve[p] && valid_q[p];
    assign arrives[p] = full[p] && !returning[p];
    // One in cancel mode gives up the row; then it is as if it had come in by that row's entry once more.
    assign entry[p] = reserve[p] ? 2'(p) : entry_q[p];
  end

  // ---- Decisions, the lowest packet number first ----
  logic [3:0][3:0]           free;
  logic [4:0][1:0]           lfsr;
  logic [3:0]                serves, here, found;
  port_t [3:0]               turn, exit;

  always_comb begin : order
    logic [3:0] left;
    left = arrives;
    for (int k = 0; k < PORTS; k++) begin
      serves[k] = left != 4'd0;
      turn[k] = RIGHT;
      for (int p = PORTS - 1; p >= 0; p--) begin
        if (left[p] && (!left[turn[k]] || id[p] < id[turn[k]])) turn[k] = 2'(p);
      end
      left[turn[k]] = 1'b0;
    end
  end

  assign free[0] = linked_i & ~valid_q[3:0] & ~held_i;
  assign lfsr[0] = lfsr_q;

  for (genvar k = 0; k < PORTS; k++) begin : g_turn
    logic [3:0] freed, minimal;
    logic [1:0] stepped;
    venice_minimal #(.ROWS(ROWS), .COLUMNS(COLUMNS)) shortest (
        .row_i, .column_i, .chip_i(chip[turn[k]]), .minimal_o(minimal)
    );
    venice_choice choice (
        .free_i(freed), .tried_i(tried_q[id[turn[k]]]), .minimal_i(minimal), .entry_i(entry[turn[k]]),
        .lfsr_i(lfsr[k]), .found_o(found[k]), .port_o(exit[k]), .lfsr_o(stepped)
    );
    assign here[k] = minimal == 4'd0;
    assign freed = free[k] | ((serves[k] && !reserve[turn[k]]) ? 4'd1 << turn[k] : 4'd0);
    if (k < PORTS - 1) begin : g_next
      assign free[k+1] = freed & ~((serves[k] && !here[k] && found[k]) ? 4'd1 << exit[k] : 4'd0);
    end
    assign lfsr[k+1] = (serves[k] && !here[k]) ? stepped : lfsr[k];
  end

  // ---- Table, and what is sent on ----
  logic [3:0]                  send;
  logic [3:0][PACKET_BITS-1:0] sent;

  function automatic logic [PACKET_BITS-1:0] scout(input logic is_reserve, input logic [PACKET_BITS-1:0] as);
    scout = as;
    scout[PACKET_BITS-2] = is_reserve;
    scout[FLIT_BITS-2] = is_reserve;
  endfunction

  // A scout that returns counts the links of its circuit, in the field of the chip and, above it, in the tail's unused bits.
  function automatic logic [PACKET_BITS-1:0] counted(input logic first, input logic [PACKET_BITS-1:0] as);
    logic [FIELD+UNUSED-1:0] links;
    links = first ? '0 : {as[UNUSED-1:0], as[FLIT_BITS+FIELD-1:FLIT_BITS]};
    links = links + (FIELD + UNUSED)'(1);
    counted = as;
    counted[FLIT_BITS+FIELD-1:FLIT_BITS] = links[FIELD-1:0];
    counted[UNUSED-1:0] = links[FIELD+UNUSED-1:FIELD];
  endfunction

  always_comb begin : table_update
    valid_d = valid_q;
    id_d = id_q;
    entry_d = entry_q;
    tried_d = tried_q;
    send = 4'd0;
    sent = '0;
    for (int p = 0; p < PORTS; p++) begin
      if (arrives[p] && !reserve[p]) valid_d[p] = 1'b0;
      if (returning[p]) begin
        send[entry_q[p]] = 1'b1;
        sent[entry_q[p]] = counted(1'b0, packet[p]);
      end
    end
    for (int k = 0; k < PORTS; k++) begin
      if (serves[k] && here[k]) begin
        valid_d[EJECTION] = 1'b1;
        id_d[EJECTION] = id[turn[k]];
        entry_d[EJECTION] = entry[turn[k]];
        send[entry[turn[k]]] = 1'b1;
        sent[entry[turn[k]]] = counted(1'b1, packet[turn[k]]);
      end else if (serves[k] && found[k]) begin
        valid_d[{1'b0, exit[k]}] = 1'b1;
        id_d[{1'b0, exit[k]}] = id[turn[k]];
        entry_d[{1'b0, exit[k]}] = entry[turn[k]];
        tried_d[id[turn[k]]][exit[k]] = 1'b1;
        send[exit[k]] = 1'b1;
        sent[exit[k]] = scout(1'b1, packet[turn[k]]);
      end else if (serves[k]) begin
        send[entry[turn[k]]] = 1'b1;
        sent[entry[turn[k]]] = scout(1'b0, packet[turn[k]]);
      end
    end
    for (int x = 0; x < 5; x++) if (valid_q[x] && clear_i[id_q[x]]) valid_d[x] = 1'b0;
    for (int c = 0; c < ROWS; c++) if (clear_i[c]) tried_d[c] = 4'd0;
  end

  always_ff @(posedge clk) begin
    if (rst) begin
      valid_q <= '0;
      tried_q <= '0;
      lfsr_q <= seed_i;
    end else begin
      valid_q <= valid_d;
      tried_q <= tried_d;
      lfsr_q <= lfsr[PORTS];
    end
    id_q <= id_d;
    entry_q <= entry_d;
  end

  assign held_o = valid_q[3:0];

  // ---- Circuits ----
  link_t [3:0] circuit;

  venice_crossbar crossbar (
      .valid_i(valid_q), .entry_i(entry_q), .link_i, .chip_i, .link_o(circuit), .chip_o
  );
  for (genvar p = 0; p < PORTS; p++) begin : g_out
    venice_sender #(.FLIT_BITS(FLIT_BITS)) sender (
        .clk, .rst, .send_i(send[p]), .packet_i(sent[p]), .circuit_i(circuit[p]), .link_o(link_o[p])
    );
  end

`ifdef VENICE_ASSERT
  always_ff @(posedge clk) if (!rst) begin
    for (int p = 0; p < PORTS; p++) begin
      // A scout gives up, or returns over, only what it reserved.
      if (full[p] && !reserve[p]) assert (valid_q[p] && id_q[p] == id[p]);
      if (returning[p]) assert (id_q[p] == id[p]);
      // A link is held from one end.
      assert (!(valid_q[p] && held_i[p]));
      if (link_i[p].valid && link_i[p].kind != SCOUT) begin : has_circuit
        logic known;
        known = valid_q[p];
        for (int e = 0; e < 5; e++) if (valid_q[e] && entry_q[e] == 2'(p)) known = 1'b1;
        assert (known);
      end
      assert (!(send[p] && circuit[p].valid));
    end
    for (int k = 0; k < PORTS; k++) begin
      if (serves[k] && here[k]) assert (!valid_q[EJECTION]);
      if (serves[k] && found[k] && !here[k]) assert (!tried_q[id[turn[k]]][exit[k]]);
    end
    // No two rows have the same entry.
    for (int a = 0; a < 5; a++)
      for (int b = 0; b < a; b++)
        assert (!(valid_q[a] && valid_q[b] && entry_q[a] == entry_q[b]));
    assert (lfsr_q != 2'd0);
  end
`endif
endmodule
