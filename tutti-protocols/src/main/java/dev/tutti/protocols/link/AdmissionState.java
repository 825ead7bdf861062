package dev.tutti.protocols.link;

import dev.tutti.core.NodeId;
import dev.tutti.core.admission.Newcomer;

/** State of the exchange by which the two ends of a connection decide about each other. */
sealed interface AdmissionState {

    AdmissionState NONE = new None();

    /** Nothing was exchanged. */
    record None() implements AdmissionState {}

    /** The dialler was sent {@code challenge}, and is to prove itself. */
    record Challenged(NodeId dialler, byte[] challenge) implements AdmissionState {}

    /** This node, which has dialled, has proven itself, and is to learn which node is there. */
    record Proven(byte[] challenge, byte[] theirs) implements AdmissionState {}

    /**
     * The desk is asked.
     *
     * @param code proof of this node that the other one gets when it is admitted; empty if it has got it
     */
    record Deciding(NodeId node, Newcomer newcomer, byte[] code) implements AdmissionState {}

    /** The node at the other end may come in. */
    record Admitted(NodeId node, Newcomer newcomer) implements AdmissionState {}
}
