// Router of NoSSD's mesh: virtual cut-through with a buffer at each input (Venice §3.2, after NoSSD).
//
//   5 inputs ──► buffers ──► header ──► ways ──► arbiter of each output ──► 5 outputs
//                   ▲                                  │ a packet starts where the next buffer has room for all of it
//                   └────────── a byte a cycle ◄───────┘ and keeps its output until its last byte
//
// The chip's port is one like the others. One clock; synchronous reset, active high.
module nossd_router #(
    parameter int ROWS = 8,
    parameter int COLUMNS = 8,
    parameter int BUFFER = 16384,
    localparam int ROW_BITS = nossd_pkg::bits(ROWS),
    localparam int COLUMN_BITS = nossd_pkg::bits(COLUMNS)
) (
    input  logic                   clk,
    input  logic                   rst,
    // Straps.
    input  logic [ROW_BITS-1:0]    row_i,
    input  logic [COLUMN_BITS-1:0] column_i,
    input  nossd_pkg::link_t [4:0] link_i,
    output nossd_pkg::link_t [4:0] link_o
);
  import nossd_pkg::*;

  localparam int SPACE_BITS = $clog2(BUFFER) + 1;

  typedef logic [SPACE_BITS-1:0] space_t;

  // ---- Inputs: a packet's header is read from the front of the buffer, and sent on before the payload ----
  typedef enum logic [1:0] {HEAD, READY, MOVES} state_t;

  logic   [4:0]                  front, take, asks, granted, is_last;
  logic   [4:0][7:0]             data;
  state_t [4:0]                  state_q;
  logic   [4:0][1:0]             got_q;
  logic   [4:0][HEADER-1:0][7:0] header_q;
  logic   [4:0][15:0]            left_q;
  port_t  [4:0]                  way;

  // ---- Outputs ----
  logic   [4:0]                  busy_q;
  port_t  [4:0]                  from_q;
  space_t [4:0]                  space_q;
  logic   [4:0][4:0]             ask, grant;
  logic   [4:0]                  valid, valid_q, credit_q;
  logic   [4:0][7:0]             byte_d, byte_q;

  for (genvar p = 0; p < PORTS; p++) begin : g_input
    nossd_buffer #(.BYTES(BUFFER)) buffer (
        .clk, .rst, .valid_i(link_i[p].valid), .data_i(link_i[p].data),
        .valid_o(front[p]), .data_o(data[p]), .take_i(take[p])
    );
    nossd_route #(.ROWS(ROWS), .COLUMNS(COLUMNS)) route (
        .row_i, .column_i, .destination_i(header_q[p][2]), .port_o(way[p])
    );
    assign asks[p] = state_q[p] == READY;
    assign is_last[p] = left_q[p] == 16'd1;
    // While it moves, header bytes go first; got_q counts them down.
    assign take[p] = front[p] && (state_q[p] == HEAD || (state_q[p] == MOVES && got_q[p] == 2'd0));

    always_ff @(posedge clk) begin
      if (rst) begin
        state_q[p] <= HEAD;
        got_q[p] <= 2'd0;
      end else begin
        case (state_q[p])
          HEAD: if (front[p]) begin
            got_q[p] <= got_q[p] + 2'd1;
            if (got_q[p] == 2'(HEADER - 1)) state_q[p] <= READY;
          end
          READY: if (granted[p]) state_q[p] <= MOVES;
          default: begin
            if (got_q[p] != 2'd0) got_q[p] <= got_q[p] - 2'd1;
            if (valid[way[p]] && is_last[p]) state_q[p] <= HEAD;
          end
        endcase
      end
      if (state_q[p] == HEAD && front[p]) begin
        header_q[p] <= {header_q[p][HEADER-2:0], data[p]};
        left_q[p] <= {header_q[p][0], data[p]} + 16'(HEADER);
      end
      if (state_q[p] == MOVES && valid[way[p]]) begin
        left_q[p] <= left_q[p] - 16'd1;
      end
    end
  end

  always_comb begin
    granted = '0;
    for (int o = 0; o < PORTS; o++) begin
      for (int p = 0; p < PORTS; p++) begin
        ask[o][p] = asks[p] && way[p] == 3'(o) && left_q[p] <= 16'(space_q[o]);
        if (grant[o][p]) granted[p] = 1'b1;
      end
    end
  end

  for (genvar o = 0; o < PORTS; o++) begin : g_output
    nossd_arbiter #(.COUNT(PORTS)) arbiter (.clk, .rst, .ask_i(ask[o]), .free_i(!busy_q[o]), .grant_o(grant[o]));

    always_comb begin
      valid[o] = busy_q[o] && (got_q[from_q[o]] != 2'd0 || front[from_q[o]]);
      case (got_q[from_q[o]])
        2'd3: byte_d[o] = header_q[from_q[o]][2];
        2'd2: byte_d[o] = header_q[from_q[o]][1];
        2'd1: byte_d[o] = header_q[from_q[o]][0];
        default: byte_d[o] = data[from_q[o]];
      endcase
    end

    always_ff @(posedge clk) begin
      if (rst) begin
        busy_q[o] <= 1'b0;
        valid_q[o] <= 1'b0;
        credit_q[o] <= 1'b0;
        space_q[o] <= space_t'(BUFFER);
      end else begin
        valid_q[o] <= valid[o];
        credit_q[o] <= take[o];
        space_q[o] <= space_q[o] + space_t'(link_i[o].credit) - space_t'(valid[o]);
        if (grant[o] != '0) busy_q[o] <= 1'b1;
        else if (valid[o] && is_last[from_q[o]]) busy_q[o] <= 1'b0;
      end
      for (int p = 0; p < PORTS; p++) if (grant[o][p]) from_q[o] <= 3'(p);
      byte_q[o] <= byte_d[o];
    end

    assign link_o[o] = '{valid: valid_q[o], data: byte_q[o], credit: credit_q[o]};
  end

`ifdef VENICE_ASSERT
  always_ff @(posedge clk) if (!rst) begin
    for (int o = 0; o < PORTS; o++) begin
      assert (space_q[o] <= space_t'(BUFFER));
      if (valid[o]) assert (space_q[o] != '0);
    end
  end
`endif
endmodule
