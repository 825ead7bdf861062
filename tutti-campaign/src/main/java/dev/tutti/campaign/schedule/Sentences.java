package dev.tutti.campaign.schedule;

import dev.tutti.campaign.cluster.Action;
import dev.tutti.campaign.cluster.Band;
import dev.tutti.campaign.cluster.Ends;
import dev.tutti.campaign.cluster.MessageTrigger;
import dev.tutti.campaign.cluster.NetworkActions;
import dev.tutti.campaign.cluster.NodeActions;
import dev.tutti.campaign.cluster.Promises;
import dev.tutti.campaign.cluster.ScheduledFault;
import dev.tutti.campaign.cluster.Traffic;
import dev.tutti.core.settings.Durations;
import dev.tutti.sim.Network;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads actions as {@link Action#toString} writes them. */
final class Sentences {

    private Sentences() {}

    /** Pattern of a sentence, and the action that it stands for. */
    private record Form(Pattern pattern, Function<Matcher, Action> meaning) {
        Form(String pattern, Function<Matcher, Action> meaning) {
            this(
                    Pattern.compile(pattern.replace("#", "n(\\d+)")
                            .replace("@", "((?:n\\d+ ?)+?)")
                            .replace("%", "(\\d+ [a-z]+)")),
                    meaning);
        }
    }

    private static final List<Form> FORMS = List.of(
            new Form("# starts", m -> new NodeActions.Start(number(m, 1))),
            new Form("# is killed", m -> new NodeActions.Kill(number(m, 1))),
            new Form("# loses its power", m -> new NodeActions.PowerOff(number(m, 1))),
            new Form("# is switched off and on", m -> new NodeActions.Reboot(number(m, 1))),
            new Form("# loses its records", m -> new NodeActions.LoseRecords(number(m, 1))),
            new Form("# stops", m -> new NodeActions.Stop(number(m, 1))),
            new Form("# leaves", m -> new NodeActions.Leave(number(m, 1))),
            new Form("# leaves the group beside", m -> new NodeActions.LeaveAside(number(m, 1))),
            new Form("# joins the group beside again", m -> new NodeActions.JoinAside(number(m, 1))),
            new Form("# joins again", m -> new NodeActions.JoinAgain(number(m, 1))),
            new Form("# is paused", m -> new NodeActions.Pause(number(m, 1))),
            new Form("# stands still for %", m -> new NodeActions.Stall(number(m, 1), Durations.parse(m.group(2)))),
            new Form("# goes on", m -> new NodeActions.Resume(number(m, 1))),
            new Form("# sends (\\d+) messages of (\\d+) bytes to all( in scopes| out of band|)", m ->
                    new Traffic.Send(number(m, 1), number(m, 2), number(m, 3), 0, Band.of(m.group(4)))),
            new Form("# sends (\\d+) messages of (\\d+) bytes to #( in scopes| out of band|)", m ->
                    new Traffic.Send(number(m, 1), number(m, 2), number(m, 3), number(m, 4), Band.of(m.group(5)))),
            new Form("# talks every %", m -> new Traffic.Talk(number(m, 1), Durations.parse(m.group(2)))),
            new Form("nobody talks", m -> new Traffic.Quiet()),
            new Form("# consumes nothing", m -> new Traffic.Consume(number(m, 1), null)),
            new Form("# consumes a packet in %", m -> new Traffic.Consume(number(m, 1), Durations.parse(m.group(2)))),
            new Form("# takes % for a turn and % for an input", m ->
                    new NodeActions.Compute(number(m, 1), Durations.parse(m.group(2)), Durations.parse(m.group(3)))),
            new Form("the wall clock of # is set back by %", m ->
                    new NodeActions.SetWallClock(number(m, 1), Durations.parse(m.group(2)).negated())),
            new Form("the wall clock of # is set forward by %", m ->
                    new NodeActions.SetWallClock(number(m, 1), Durations.parse(m.group(2)))),
            new Form("the clock of # leaps by %", m -> new NodeActions.Leap(number(m, 1), Durations.parse(m.group(2)))),
            new Form("@ and @ lose each other \\(([a-z-]+)\\)", m -> new NetworkActions.Lose(numbers(m, 1), numbers(m, 2),
                    ScheduledFault.valueOf(m.group(3).toUpperCase(Locale.ROOT).replace('-', '_')))),
            new Form("@ and @ find each other", m -> new NetworkActions.Find(numbers(m, 1), numbers(m, 2))),
            new Form("@ can't get through to @", m -> new NetworkActions.Miss(numbers(m, 1), numbers(m, 2))),
            new Form("all cuts heal", m -> new NetworkActions.HealAll()),
            new Form("the coordinator is (killed|cut off|given up)", m -> new Action.Coordinator(
                    Action.Coordinator.Fate.valueOf(m.group(1).toUpperCase(Locale.ROOT).replace(' ', '_')))),
            new Form("# is clogged", m -> new NetworkActions.Clog(number(m, 1))),
            new Form("# flows again", m -> new NetworkActions.Unclog(number(m, 1))),
            new Form("connections of # and # break, noticed by (both|dialler|acceptor|nobody)", m ->
                    new NetworkActions.Break(number(m, 1), number(m, 2), Network.Notice.valueOf(m.group(3).toUpperCase(Locale.ROOT)))),
            new Form("when (prepare|ack|nack|cut|fetch|repair|propose|accepted|install) (\\d+) arrives(?: at #)?, (?:% later )?(.+)", m ->
                    new Action.Await(
                            MessageTrigger.Message.valueOf(m.group(1).toUpperCase(Locale.ROOT)),
                            m.group(3) == null ? 0 : number(m, 3),
                            number(m, 2),
                            m.group(4) == null ? Duration.ZERO : Durations.parse(m.group(4)),
                            parse(m.group(5)))),
            new Form("no ambush waits any more", m -> new Promises.Disarm()),
            new Form("its (sender|receiver) is killed", m -> new Ends.KillEnd(m.group(1).equals("sender"))),
            new Form("its (sender|receiver) stands still for %", m ->
                    new Ends.StallEnd(m.group(1).equals("sender"), Durations.parse(m.group(2)))),
            new Form("its sender and receiver give each other up", m -> new Ends.PartEnds()),
            new Form("@ and @ give each other up", m -> new NetworkActions.Part(numbers(m, 1), numbers(m, 2))),
            new Form("what goes from @ to @ takes % more", m ->
                    new NetworkActions.Delay(numbers(m, 1), numbers(m, 2), Durations.parse(m.group(3)))),
            new Form("# gives up #", m -> new NetworkActions.GiveUp(number(m, 1), number(m, 2))),
            new Form("all that are up are in one view within %", m -> new Promises.OneView(Durations.parse(m.group(1)))),
            new Form("all that are up are in one view within %, and stay in it", m -> new Promises.Stay(Durations.parse(m.group(1)))),
            new Form("everybody who joins is told within %", m -> new Promises.Joined(Durations.parse(m.group(1)))),
            new Form("# and # do not hear each other for %", m ->
                    new NetworkActions.Outage(number(m, 1), number(m, 2), Durations.parse(m.group(3)))),
            new Form("everything that was sent arrives within %", m -> new Promises.Arrived(Durations.parse(m.group(1)))),
            new Form("the stream from # to # is corrupted", m -> new NetworkActions.Corrupt(number(m, 1), number(m, 2))));

    /** @throws IllegalArgumentException if no action reads so */
    static Action parse(String sentence) {
        for (Form form : FORMS) {
            Matcher matcher = form.pattern().matcher(sentence);
            if (matcher.matches()) {
                return form.meaning().apply(matcher);
            }
        }
        throw new IllegalArgumentException("no action reads '" + sentence + "'; they are listed in docs/design/simulator.md");
    }

    private static int number(Matcher matcher, int group) {
        return Integer.parseInt(matcher.group(group));
    }

    private static TreeSet<Integer> numbers(Matcher matcher, int group) {
        TreeSet<Integer> numbers = new TreeSet<>();
        for (String name : matcher.group(group).strip().split(" ")) {
            numbers.add(Integer.parseInt(name.substring(1)));
        }
        return numbers;
    }
}
