package dev.tutti.study.load;

import dev.tutti.study.setup.Operation;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** The paper's mix: 10 users created, 10 deleted, 1,000 projects created, 1,000 files uploaded. */
public final class OperationMix {

    /** Requests of the whole mix. */
    public static final int REQUESTS = 2_020;

    private static final int USERS = 10;
    private static final long SEED = 2_020;

    private OperationMix() {}

    /** Returns the mix as a list: users are created first and deleted last. {@code share} of 1 is all of it. */
    public static List<Operation> list(double share) {
        int users = Math.max(1, (int) (USERS * share));
        int others = Math.max(1, (int) ((REQUESTS / 2 - USERS) * share));
        List<Operation> middle = new ArrayList<>();
        middle.addAll(Collections.nCopies(others, Operation.CREATE_PROJECT));
        middle.addAll(Collections.nCopies(others, Operation.UPLOAD));
        Collections.shuffle(middle, new Random(SEED));
        List<Operation> all = new ArrayList<>(Collections.nCopies(users, Operation.CREATE_USER));
        all.addAll(middle);
        all.addAll(Collections.nCopies(users, Operation.DELETE_USER));
        return all;
    }

    /** Returns one operation, drawn with the frequencies of the mix. */
    public static Operation draw(Random random) {
        int number = random.nextInt(REQUESTS);
        if (number < USERS) {
            return Operation.CREATE_USER;
        }
        if (number < 2 * USERS) {
            return Operation.DELETE_USER;
        }
        return number < REQUESTS / 2 + USERS ? Operation.CREATE_PROJECT : Operation.UPLOAD;
    }
}
