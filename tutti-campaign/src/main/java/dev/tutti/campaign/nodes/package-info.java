/** Things that trials of real nodes in virtual time have in common, whatever runs on the nodes. */
@NullMarked
package dev.tutti.campaign.nodes;

import org.jspecify.annotations.NullMarked;
