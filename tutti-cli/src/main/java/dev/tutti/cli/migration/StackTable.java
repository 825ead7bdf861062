package dev.tutti.cli.migration;

import static dev.tutti.cli.migration.Rule.always;
import static dev.tutti.cli.migration.Rule.changed;
import static dev.tutti.cli.migration.Rule.dropped;
import static dev.tutti.cli.migration.Rule.kept;
import static dev.tutti.cli.migration.Rule.needs;
import static dev.tutti.cli.migration.Rule.refused;
import static dev.tutti.cli.migration.Rule.stands;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The translation: protocols of JGroups 5, their attributes, and the rule for each. */
final class StackTable {

    private static final Rule BUILT_IN = dropped("tutti does this by itself, and has nothing to set");
    private static final Rule METRICS = dropped("counters and metrics are always there: tutti probe, docs/metrics.md");
    private static final Rule FAULTS = dropped("for tests: the layer fault makes a network worse");
    private static final Rule THREADS = dropped("a node has one loop and a few threads; there is no pool or bundler to size");
    private static final Rule LOGGING = dropped("logging goes through SLF4J");
    private static final Rule CLOUD = refused(
            "is the discovery of a cloud that tutti lacks",
            "write <TCPPING>, <dns.DNS_PING> or <JDBC_PING2> in its place, or use NodeBuilder.discover in code");
    private static final Rule CIPHERS = dropped("TLS 1.3 chooses ciphers and makes keys for each connection");
    private static final Rule TOGETHER = always("read together with the protocol");

    private static final Map<String, Rule> EVERY = rules(
            "id stats ergonomics policies after_creation_hook preview_warning", BUILT_IN, "level", LOGGING);

    private static final Map<String, Rule> TRANSPORT = Protocol.of("TP", BUILT_IN)
            .with("bind_addr", Places::bind)
            .with("bind_port", kept("bind.port", Forms::number))
            .with("port_range", kept("bind.port-range", Forms::number))
            .with("external_addr", Places::advertised)
            .with("external_port", TOGETHER)
            .with("diag.enabled", changed("diagnostics.enabled", Forms::flag, "a socket for this user on this machine, not on the network"))
            .with("diag.bind_addr diag.bind_interfaces diag.enable_tcp diag.enable_udp diag.mcast_addr diag.passcode diag.port"
                    + " diag.port_range diag.ttl", dropped("diagnostics are not on the network; tutti console is"))
            .with("recv_buf_size ucast_recv_buf_size", kept("transport.receive-buffer", Forms::size))
            .with("send_buf_size ucast_send_buf_size", kept("transport.send-buffer", Forms::size))
            .with("mcast_recv_buf_size mcast_send_buf_size", dropped("transport.socket-buffer holds for all sockets"))
            .with("sock_conn_timeout", dropped("transport.connect-timeout includes the TLS handshake; its default stands"))
            .with("peer_addr_read_timeout", dropped("link.handshake-timeout covers the whole handshake; its default stands"))
            .with("tos", changed("transport.dscp", value -> String.valueOf(Integer.parseInt(Forms.number(value)) >> 2), "the upper six bits"))
            .with("mcast_addr mcast_port ip_mcast", TOGETHER)
            .with("ip_ttl", kept("transport.multicast.ttl", Forms::number))
            .with("gossip_router_hosts", Places::routers)
            .with("tls.enabled", Security::tls)
            .with("tls.cipher_suites tls.protocols tls.provider", CIPHERS)
            .with("tls.client_auth", always("certificates are asked for at both ends"))
            .with("tls.keystore_alias tls.keystore_password tls.keystore_path tls.keystore_type tls.sni_matchers"
                    + " tls.truststore_password tls.truststore_path tls.truststore_type", dropped("keys are PEM files: tls.certificate, tls.key, tls.authority"))
            .with("async_executor.enabled bundler.capacity bundler.drop_when_full bundler.max_size bundler.remove_delay"
                    + " bundler.remove_queue_capacity bundler.suppress_log_timeout bundler.use_ringbuffer"
                    + " bundler.use_single_sender_thread bundler_type message_processing_policy mcast_receiver_threads"
                    + " ucast_receiver_threads thread_naming_pattern thread_pool.delta thread_pool.enabled"
                    + " thread_pool.increase_max_size_dynamically thread_pool.keep_alive_time thread_pool.max_threads"
                    + " thread_pool.min_threads thread_pool.rejection_policy thread_pool.thread_dump_path"
                    + " thread_pool.thread_dumps_enabled thread_pool.thread_dumps_threshold"
                    + " thread_pool.thread_pool_full_suppress_time use_virtual_threads use_vthreads use_lock_to_send use_nio"
                    + " time_service_interval", THREADS)
            .with("max_send_buffers max_send_queue non_blocking_sends max_length buffered_input_stream_size"
                    + " buffered_output_stream_size copy_on_partial_write use_direct_memory use_acks",
                    dropped("sends never block the loop; transport.write-buffer-max and group.window bound what waits"))
            .with("log_accept_error log_details log_discard_msgs log_discard_msgs_version suppress_time_different_cluster_warnings"
                    + " suppress_time_different_version_warnings suppress_time_out_of_buffer_space", LOGGING)
            .with("msg_stats.enabled rtt.enabled rtt.num_reqs rtt.oob rtt.size rtt.timeout", METRICS)
            .with("client_bind_addr client_bind_port conn_expire_time defer_client_bind_addr disable_loopback enable_suspect_events"
                    + " heartbeat_interval heartbeat_timeout linger local_transport_class logical_addr_cache_expiration"
                    + " logical_addr_cache_max_size logical_addr_cache_reaper_interval reader_idle_time reaper_interval"
                    + " reconnect_interval receive_interfaces receive_on_all_interfaces tcp_nodelay who_has_cache_timeout", BUILT_IN)
            .attributes();

    private static final Map<String, Rule> DISCOVERY = rules(
            "async_discovery async_discovery_use_separate_thread_per_request break_on_coord_rsp discovery_rsp_expiry_time"
                    + " max_members_in_discovery_request max_rank_to_reply num_discovery_runs return_entire_cache send_cache_on_join"
                    + " stagger_timeout use_disk_cache max_dynamic_hosts info_writer_max_writes_after_view info_writer_sleep_time"
                    + " num_read_loops read_sleep register_shutdown_hook remove_all_data_on_view_change"
                    + " remove_old_coords_on_view_change update_store_on_view_change write_data_on_find probe_transport_ports",
            dropped("nodes go on looking for others, and keep their entries up to date"),
            "port_range", TOGETHER);

    private static final Map<String, Rule> ENCRYPTION = rules(
            "alias asym_algorithm asym_keylength change_key_on_coord_leave change_key_on_leave cipher_pool_size"
                    + " key_map_max_size provider sym_algorithm sym_iv_length sym_keylength use_external_key_exchange"
                    + " secret_key_algorithm secret_key_length timeout bind_addr enabled_ciphers port port_range reload_threshold"
                    + " require_client_authentication session_verifier_arg session_verifier_class socket_timeout ssl_protocol"
                    + " ssl_provider",
            CIPHERS,
            "key_password keystore_name keystore_password keystore_type store_password truststore_name truststore_password"
                    + " truststore_type",
            dropped("keystores are not read"));

    private static final Map<String, Rule> RETRANSMISSION = rules(
            "ack_threshold become_server_queue_size capacity conn_close_timeout conn_expiry_timeout discard_delivered_msgs"
                    + " dynamic_buffers log_discard_msgs log_not_found_msgs loopback max_batch_size max_retransmit_time"
                    + " max_xmit_req_size resend_last_seqno resend_last_seqno_max_times reuse_message_batches send_atomically"
                    + " suppress_time_non_member_warnings sync_min_interval use_mcast_xmit use_mcast_xmit_req"
                    + " xmit_from_random_member xmit_interval xmit_table_max_compaction_time xmit_table_msgs_per_row"
                    + " xmit_table_num_rows xmit_table_resize_factor xmits_enabled",
            dropped("losses are noticed and mended without an interval; group.window bounds the memory"));

    private static final Map<String, Protocol> TABLE = index(
            Protocol.of("UDP", Places::udp).with(TRANSPORT),
            Protocol.of("TCP TCP_NIO2 SimpleTCP", stands("transport.protocol", "tcp")).with(TRANSPORT),
            Protocol.of("TUNNEL", Places::tunnel).with(TRANSPORT),
            Protocol.of("SHARED_LOOPBACK", stands("transport.protocol", "local")).with(TRANSPORT),
            Protocol.of("PING", Places::ping).with(DISCOVERY),
            Protocol.of("LOCAL_PING SHARED_LOOPBACK_PING", always("nodes of one process find each other")).with(DISCOVERY),
            Protocol.of("MPING", Places::mping)
                    .with("mcast_addr mcast_port", TOGETHER)
                    .with("ip_ttl", kept("discovery.multicast.ttl", Forms::number))
                    .with("bind_addr bind_interface receive_interfaces receive_on_all_interfaces send_interfaces"
                            + " send_on_all_interfaces", dropped("the interface of the node's address is used"))
                    .with(DISCOVERY),
            Protocol.of("BPING", Places::bping).with("dest bind_port", TOGETHER).with(DISCOVERY),
            Protocol.of("TCPPING", needs("initial_hosts", "a[7800],b[7800]"))
                    .with("initial_hosts", Places::seeds)
                    .with("initial_hosts_file", refused("is not read", "write the hosts in initial_hosts"))
                    .with(DISCOVERY),
            Protocol.of("TCPGOSSIP", Places::gossip)
                    .with("initial_hosts", Places::routers)
                    .with("reconnect_interval sock_conn_timeout use_nio", BUILT_IN)
                    .with(DISCOVERY),
            Protocol.of("FILE_PING", needs("location", "/mnt/shared/nodes"))
                    .with("location", kept("discovery.directory.path", Forms::text))
                    .with(DISCOVERY),
            Protocol.of("JDBC_PING JDBC_PING2", Places::jdbc)
                    .with("connection_url", kept("discovery.jdbc.url", Forms::text))
                    .with("connection_username", kept("discovery.jdbc.user", Forms::text))
                    .with("connection_password", Places::password)
                    .with("connection_driver", dropped("the driver is found by the URL"))
                    .with("call_insert_sp clear_sql contains_sql datasource_injecter_class datasource_jndi_name"
                            + " delete_single_sql initialize_sql insert_single_sql insert_sp location select_all_pingdata_sql",
                            dropped("the first node creates tutti's own table, discovery.jdbc.table"))
                    .with(DISCOVERY),
            Protocol.of("DNS_PING", Places::dns)
                    .with("dns_query dns_record_type", TOGETHER)
                    .with("dns_address", kept("discovery.dns.server", Forms::text))
                    .with("dns_context_factory", BUILT_IN)
                    .with(DISCOVERY),
            Protocol.of("KUBE_PING", needs("labels", "app=shop"))
                    .with("labels", kept("discovery.kubernetes.selector", Forms::text))
                    .with("namespace", kept("discovery.kubernetes.namespace", Forms::text))
                    .with(DISCOVERY),
            Protocol.of("S3_PING NATIVE_S3_PING", needs("bucket_name", "nodes"))
                    .with("bucket_name", kept("discovery.s3.bucket", Forms::text))
                    .with("bucket_prefix", kept("discovery.s3.prefix", value -> value.endsWith("/") ? value : value + "/"))
                    .with("region_name", kept("discovery.s3.region", Forms::text))
                    .with("endpoint", kept("discovery.s3.endpoint", Forms::text))
                    .with("path_style_access_enabled", kept("discovery.s3.path-style", Forms::flag))
                    .with(DISCOVERY),
            Protocol.of("AZURE_PING GOOGLE_PING GOOGLE_PING2 MONGO_PING RACKSPACE_PING SWIFT_PING", CLOUD),
            Protocol.of("MERGE3", always("parts that can reach each other again merge at once")).with(
                    "check_interval max_interval max_participants_in_merge min_interval",
                    dropped("no interval: addresses that do not answer are dialled again, after discovery.pause-max at most")),
            Protocol.of("FD_SOCK FD_SOCK2", always("the end of a connection is noticed; on UDP, of one by TCP at the same port number")).with(
                    "bind_addr cache_max_age cache_max_elements client_bind_port connect_timeout external_addr external_port"
                            + " get_cache_timeout keep_alive linger max_port min_port num_tries offset port_range"
                            + " sock_conn_timeout start_port suspect_msg_interval",
                    dropped("there is no second port and no second socket")),
            Protocol.of("FD_ALL FD_ALL2 FD_ALL3", always("heartbeats in silence; the defaults are 1 s and 3 s"))
                    .with("timeout", kept("detection.timeout", Forms::time))
                    .with("interval", kept("detection.heartbeat", Forms::time))
                    .with("timeout_check_interval use_time_service", BUILT_IN),
            Protocol.of("FD_HOST", dropped("a host that is gone is noticed by the silence of its nodes"))
                    .with("check_timeout cmd interval timeout use_time_service", BUILT_IN),
            Protocol.of("VERIFY_SUSPECT VERIFY_SUSPECT2", always("a silent node is dialled again, and members agree on the verdict"))
                    .with("bind_addr num_msgs timeout use_icmp use_mcast_rsps", BUILT_IN),
            Protocol.of("NAKACK2 NAKACK3 NAKACK4 UNICAST3 UNICAST4", always("messages are reliable, in the order of each sender"))
                    .with(RETRANSMISSION),
            Protocol.of("STABLE", always("copies are freed when all members have a message"))
                    .with("desired_avg_gossip max_bytes", dropped("stability travels with other packets; group.stable-delay bounds the wait")),
            Protocol.of("GMS", always("views are agreed on, and virtually synchronous"))
                    .with("join_timeout", changed("discovery.patience", Forms::time, "a join that finds its seeds does not wait so long"))
                    .with("leave_timeout", kept("group.leave-timeout", Forms::time))
                    .with("view_ack_collection_timeout", changed("group.ballot-timeout", Forms::time, "a view without progress for so long goes on without those it waits for"))
                    .with("membership_change_policy", dropped("the oldest member comes first in a view; there is no policy to set"))
                    .with("all_clients_retry_timeout log_collect_msgs log_view_warnings max_join_attempts max_leave_attempts"
                            + " merge_timeout num_prev_mbrs num_prev_views print_local_addr print_physical_addrs"
                            + " print_view_details use_delta_views", BUILT_IN),
            Protocol.of("MFC UFC", always("a sender waits when a receiver has a window of its bytes"))
                    .with("max_credits", Quantities::window)
                    .with("min_credits min_threshold", dropped("windows open as bytes are consumed"))
                    .with("max_block_time", dropped("a send fails after group.send-timeout; it is never sent in spite of the window")),
            Protocol.of("FRAG FRAG2 FRAG3 FRAG4", always("large messages are sent in packets"))
                    .with("frag_size", dropped("the transport gives the size of packets; group.message-bytes-max bounds messages")),
            Protocol.of("SEQUENCER SEQUENCER2", stands("group.stack", "total"))
                    .with("delivery_table_max_size flush_forward_table threshold", BUILT_IN),
            Protocol.of("COMPRESS", Quantities::compression)
                    .with("min_size", changed("group.layer.compression.least", Forms::size, "packets are compressed, in which small messages are together"))
                    .with("compression_level pool_size", dropped("LZ4 has no levels to set here")),
            Protocol.of("RATE_LIMITER RATE_LIMITER2", Quantities::rate)
                    .with("max_bytes time_period interval", TOGETHER)
                    .with("drop_dont_block_msgs", dropped("sends wait; trySend does not")),
            Protocol.of("DAISYCHAIN", stands("group.dissemination", "ring")).with("loopback", BUILT_IN),
            Protocol.of("SYM_ENCRYPT", Security::symmetric).with(ENCRYPTION),
            Protocol.of("ASYM_ENCRYPT", Security::asymmetric).with(ENCRYPTION),
            Protocol.of("SSL_KEY_EXCHANGE DH_KEY_EXCHANGE", dropped("TLS makes the keys of each connection")).with(ENCRYPTION),
            Protocol.of("ENCRYPT SASL", refused(
                    "is gone from JGroups itself", "write <SYM_ENCRYPT>, or take it out and set security.secret-file")),
            Protocol.of("AUTH", Security::auth)
                    .with("auth_class auth_coord fixed_members_seperator fixed_members_value match_string match_ip_address"
                            + " match_logical_name auth_value cert_alias cert_password cipher_type client_password"
                            + " client_principal_name keystore_password keystore_path keystore_type service_principal_name", TOGETHER),
            Protocol.of("BARRIER FLUSH", always("a view is a cut: state and messages fit together without a pause"))
                    .with("flush_timeout max_close_time", BUILT_IN),
            Protocol.of("STATE_TRANSFER STATE STATE_SOCK", always("a member that joins gets the state, if code gives the group one: GroupBuilder.state"))
                    .with("bind_addr bind_interface bind_port buffer_size external_addr external_port max_pool"
                            + " pool_thread_keep_alive recv_buf_size", dropped("the state takes the connection that is there, within state.transfer-window")),
            Protocol.of("RSVP", always("Group.sendStable gives a receipt of a message"))
                    .with("timeout", kept("group.receipt-timeout", Forms::time))
                    .with("ack_on_delivery resend_interval throw_exception_on_timeout", BUILT_IN),
            Protocol.of("FORK", dropped("a node has many groups, each with settings of its own under 'groups'"))
                    .with("config process_state_events", BUILT_IN),
            Protocol.of("RELAY RELAY2 RELAY3", refused(
                    "joins sites, which no settings do", "take it out, and open Sites in code: docs/operating/sites.md")),
            Protocol.of("STOMP", dropped("'tutti stomp' is a server of its own, with settings stomp.*"))
                    .with("bind_addr endpoint_addr exact_destination_match forward_non_client_generated_msgs port send_info", BUILT_IN),
            Protocol.of("COUNTER CENTRAL_LOCK CENTRAL_LOCK2 CENTRAL_EXECUTOR", dropped("counters, locks and queues are blocks: docs/operating/blocks.md"))
                    .with("bypass_bundling num_backups reconciliation_timeout timeout use_thread_id_for_lock_owner", BUILT_IN),
            Protocol.of("RED BATCH2 UNBATCH UNBATCH_OOB MAKE_BATCH NON_BLOCKING_SENDS CLEAR_FLAGS SERIALIZE PDC", BUILT_IN)
                    .with("enabled max_threshold min_threshold weight_factor max_batch_size poll_timeout min_size multicasts skip_oob"
                            + " sleep_time unicasts fix verbose cache_dir", BUILT_IN),
            Protocol.of("STATS TIME PERF SIZE SIZE2 TRACE HDRS SNIFF RATE THREAD_COUNT SOS", METRICS)
                    .with("mstats.enabled down_msgs num_batches num_batches_oob num_batches_reg num_down_msgs num_down_msgs_oob"
                            + " num_down_msgs_reg num_up_msgs num_up_msgs_oob num_up_msgs_reg up_batches up_msgs avg_size"
                            + " down_sizes exception_on_missing_bucket sizes up_sizes use_size print_down print_up down up"
                            + " history_size interval measure_serialized_size down_threads up_threads cmd config filename", METRICS),
            Protocol.of("DISCARD DELAY SHUFFLE DUPL DROP DISCARD_PAYLOAD INJECT_VIEW EXAMPLE REVERSE REVERSE2", FAULTS)
                    .with("discard_all down drop_down_multicasts drop_down_unicasts excludeItself gui up constant_delay in_delay"
                            + " in_delay_nanos out_delay out_delay_nanos max_size max_time copy_multicast_msgs"
                            + " copy_unicast_msgs incoming_copies outgoing_copies duplicate seqno", FAULTS));

    private static final Set<String> PACKAGES = Set.of("pbcast", "relay", "dns", "kubernetes", "aws", "azure", "google", "mongo");

    private StackTable() {}

    /** Returns the row of a protocol; null if the table does not have it. */
    static @Nullable Protocol protocol(String name) {
        int dot = name.lastIndexOf('.');
        boolean isOfJGroups = dot < 0 || name.startsWith("org.jgroups.") || PACKAGES.contains(name.substring(0, dot));
        return isOfJGroups ? TABLE.get(name.substring(dot + 1)) : null;
    }

    private static Map<String, Protocol> index(Protocol... protocols) {
        Map<String, Protocol> table = new LinkedHashMap<>();
        for (Protocol protocol : protocols) {
            for (String name : protocol.names()) {
                if (table.put(name, protocol.with(EVERY)) != null) {
                    throw new IllegalStateException(name + " is in the table twice");
                }
            }
        }
        return Map.copyOf(table);
    }

    private static Map<String, Rule> rules(String names, Rule rule, String others, Rule other) {
        return Protocol.of("any", rule).with(names, rule).with(others, other).attributes();
    }

    private static Map<String, Rule> rules(String names, Rule rule) {
        return Protocol.of("any", rule).with(names, rule).attributes();
    }
}
