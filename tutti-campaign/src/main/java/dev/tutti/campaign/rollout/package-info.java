/** Rolling updates, drained machines and scaling, as Kubernetes does them to pods, done to processes under load. */
@NullMarked
package dev.tutti.campaign.rollout;

import org.jspecify.annotations.NullMarked;
