/** What clients have asked for and been told, and whether an object that does one thing after the other could have said so. */
@NullMarked
package dev.tutti.campaign.history;

import org.jspecify.annotations.NullMarked;
