package stranger;

import dev.tutti.core.Packet;
import dev.tutti.core.metrics.Metric;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Layer;
import dev.tutti.core.stack.LayerContext;
import dev.tutti.core.stack.LayerProvider;
import dev.tutti.core.stack.Outbox;
import dev.tutti.core.stack.Report;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Supplier;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;

/** Puts a checksum before each packet, and drops packets whose checksum is wrong. */
public final class Checksum implements LayerProvider {

    /** Ways to calculate it. */
    public enum Kind {
        CRC32(CRC32::new),
        CRC32C(CRC32C::new);

        private final Supplier<java.util.zip.Checksum> checksum;

        Kind(Supplier<java.util.zip.Checksum> checksum) {
            this.checksum = checksum;
        }

        int of(Packet packet) {
            ByteBuffer content = packet.bytes().slice(packet.offset(), packet.length());
            var calculated = checksum.get();
            calculated.update(content);
            return (int) calculated.getValue();
        }
    }

    public static final Setting<Kind> KIND =
            Setting.choice("layer.checksum.kind", Kind.class, Kind.CRC32C, "Kind of checksum, the same at all members.");

    @Override
    public String name() {
        return "checksum";
    }

    @Override
    public List<Setting<?>> settings() {
        return List.of(KIND);
    }

    @Override
    public List<Metric> metrics() {
        return Metric.part(Metric.Place.GROUP, "layer.checksum")
                .counter("checked-packets", Metric.Unit.PACKETS, "Packets whose checksum was right.")
                .list();
    }

    @Override
    public int headerBytes() {
        return 4;
    }

    @Override
    public Layer create(LayerContext context) {
        Kind kind = context.settings().get(KIND);
        return new Layer() {
            private long checked;

            @Override
            public void onSend(Packet packet, Outbox out) {
                out.send(packet.prependInt(kind.of(packet)));
            }

            @Override
            public void onReceive(Packet packet, Outbox out) {
                int checksum = packet.takeInt();
                if (packet.isMalformed() || checksum != kind.of(packet)) {
                    out.drop(packet, DropReason.MALFORMED);
                } else {
                    checked++;
                    out.deliver(packet);
                }
            }

            @Override
            public void report(Report report) {
                report.put("checked-packets", checked);
            }
        };
    }
}
