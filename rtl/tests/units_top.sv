// The modules side by side, each with ports of its own, so that one build serves all tests of modules (Venice's for 8 x 8).
module units_top (
    input  logic              clk,
    input  logic              rst,
    // venice_minimal
    input  logic [2:0]        minimal_row_i,
    input  logic [2:0]        minimal_column_i,
    input  logic [5:0]        minimal_chip_i,
    output logic [3:0]        minimal_o,
    // venice_choice
    input  logic [3:0]        choice_free_i,
    input  logic [3:0]        choice_tried_i,
    input  logic [3:0]        choice_minimal_i,
    input  logic [1:0]        choice_entry_i,
    input  logic [1:0]        choice_lfsr_i,
    output logic              choice_found_o,
    output logic [1:0]        choice_port_o,
    output logic [1:0]        choice_lfsr_o,
    // venice_receiver, venice_sender: the sender's link is the receiver's, and comes out
    input  logic              sender_send_i,
    input  logic [15:0]       sender_packet_i,
    input  venice_pkg::link_t sender_circuit_i,
    output venice_pkg::link_t sender_link_o,
    output logic              receiver_full_o,
    output logic [15:0]       receiver_packet_o,
    // venice_crossbar
    input  logic [4:0]        crossbar_valid_i,
    input  logic [9:0]        crossbar_entry_i,
    input  logic [43:0]       crossbar_link_i,
    input  venice_pkg::link_t crossbar_chip_i,
    output logic [43:0]       crossbar_link_o,
    output venice_pkg::link_t crossbar_chip_o,
    // venice_dispatch
    input  logic [5:0]        dispatch_chip_i,
    input  logic [7:0]        dispatch_idle_i,
    output logic [7:0]        dispatch_west_o,
    output logic [7:0]        dispatch_alternating_o,
    // venice_router, in row 3, column 4
    input  logic [7:0]        router_clear_i,
    input  logic [43:0]       router_link_i,
    output logic [43:0]       router_link_o,
    input  logic [3:0]        router_held_i,
    output logic [3:0]        router_held_o,
    input  venice_pkg::link_t router_chip_i,
    output venice_pkg::link_t router_chip_o,
    // venice_controller 5
    input  logic              controller_slot_i,
    input  logic              controller_immediate_i,
    input  logic              controller_retry_i,
    input  logic              controller_start_i,
    input  logic [5:0]        controller_chip_i,
    input  logic [15:0]       controller_bytes_i,
    input  logic [15:0]       controller_commands_i,
    input  logic              controller_is_read_i,
    output logic              controller_idle_o,
    output logic              controller_waiting_o,
    output logic              controller_done_o,
    input  logic [7:0]        controller_data_i,
    output logic              controller_taken_o,
    input  venice_pkg::link_t controller_link_i,
    output venice_pkg::link_t controller_link_o,
    output logic              controller_clear_o,
    // nossd_mesh
    input  nossd_pkg::link_t [3:0] mesh_chip_i,
    output nossd_pkg::link_t [3:0] mesh_chip_o,
    input  nossd_pkg::link_t [1:0] mesh_controller_i,
    output nossd_pkg::link_t [1:0] mesh_controller_o,
    // omnibus_control, 4 x 4
    input  logic [3:0]        omnibus_want_i,
    input  logic [3:0]        omnibus_done_i,
    input  logic [7:0]        omnibus_column_i,
    input  logic [3:0]        omnibus_row_busy_i,
    output logic [3:0]        omnibus_row_o,
    output logic [3:0]        omnibus_column_o
);
  venice_minimal minimal (
      .row_i(minimal_row_i), .column_i(minimal_column_i), .chip_i(minimal_chip_i), .minimal_o
  );
  venice_choice choice (
      .free_i(choice_free_i), .tried_i(choice_tried_i), .minimal_i(choice_minimal_i), .entry_i(choice_entry_i),
      .lfsr_i(choice_lfsr_i), .found_o(choice_found_o), .port_o(choice_port_o), .lfsr_o(choice_lfsr_o)
  );
  venice_sender sender (
      .clk, .rst, .send_i(sender_send_i), .packet_i(sender_packet_i), .circuit_i(sender_circuit_i), .link_o(sender_link_o)
  );
  venice_receiver receiver (.clk, .rst, .link_i(sender_link_o), .full_o(receiver_full_o), .packet_o(receiver_packet_o));
  venice_crossbar crossbar (
      .valid_i(crossbar_valid_i), .entry_i(crossbar_entry_i), .link_i(crossbar_link_i), .chip_i(crossbar_chip_i),
      .link_o(crossbar_link_o), .chip_o(crossbar_chip_o)
  );
  venice_dispatch west (.chip_i(dispatch_chip_i), .idle_i(dispatch_idle_i), .chosen_o(dispatch_west_o));
  venice_dispatch #(.ALTERNATING(1'b1)) alternating (
      .chip_i(dispatch_chip_i), .idle_i(dispatch_idle_i), .chosen_o(dispatch_alternating_o)
  );
  venice_router router (
      .clk, .rst, .row_i(3'd3), .column_i(3'd4), .linked_i(4'b1111), .seed_i(2'd1), .clear_i(router_clear_i),
      .link_i(router_link_i), .link_o(router_link_o), .held_i(router_held_i), .held_o(router_held_o),
      .chip_i(router_chip_i), .chip_o(router_chip_o)
  );
  logic searching, transferring, data_valid;
  logic [7:0] data;
  venice_controller #(.ID(5)) controller (
      .clk, .rst, .slot_i(controller_slot_i), .immediate_i(controller_immediate_i), .retry_i(controller_retry_i),
      .start_i(controller_start_i), .chip_i(controller_chip_i), .bytes_i(controller_bytes_i),
      .commands_i(controller_commands_i), .is_read_i(controller_is_read_i),
      .idle_o(controller_idle_o), .searching_o(searching), .waiting_o(controller_waiting_o), .transferring_o(transferring),
      .done_o(controller_done_o), .data_i(controller_data_i), .taken_o(controller_taken_o), .data_o(data),
      .data_valid_o(data_valid), .link_i(controller_link_i), .link_o(controller_link_o), .clear_o(controller_clear_o)
  );
  nossd_mesh mesh (
      .clk, .rst, .chip_i(mesh_chip_i), .chip_o(mesh_chip_o), .controller_i(mesh_controller_i), .controller_o(mesh_controller_o)
  );
  omnibus_control #(.ROWS(4), .COLUMNS(4)) omnibus (
      .clk, .rst, .want_i(omnibus_want_i), .done_i(omnibus_done_i), .column_i(omnibus_column_i), .row_busy_i(omnibus_row_busy_i),
      .row_o(omnibus_row_o), .column_o(omnibus_column_o)
  );
endmodule
