package dev.tutti.blocks.machine;

import dev.tutti.Snapshot;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

/** A machine that keeps all commands in order, and answers with their number. It refuses "fail". */
class Diary implements StateMachine<String, Integer> {

    final List<String> lines = new ArrayList<>();
    final List<Integer> views = new ArrayList<>();
    int stable;

    @Override
    public Integer apply(Member member, String command) {
        if (command.equals("fail")) {
            throw new IllegalArgumentException("a command that can't be");
        }
        lines.add(member.name() + " " + command);
        return lines.size();
    }

    @Override
    public void onView(View view) {
        views.add(view.size());
    }

    @Override
    public void onStable() {
        stable = lines.size();
    }

    @Override
    public Snapshot snapshot() {
        List<String> copy = List.copyOf(lines);
        return stream -> {
            DataOutputStream out = new DataOutputStream(stream);
            out.writeInt(copy.size());
            for (String line : copy) {
                out.writeUTF(line);
            }
            out.flush();
        };
    }

    @Override
    public void install(InputStream stream) throws IOException {
        lines.clear();
        DataInputStream in = new DataInputStream(stream);
        int count = in.readInt();
        for (int index = 0; index < count; index++) {
            lines.add(in.readUTF());
        }
    }

    @Override
    public boolean isReproducible() {
        return true;
    }
}
