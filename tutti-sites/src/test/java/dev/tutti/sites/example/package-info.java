/** Programs on several sites, as a newcomer would write them. */
@NullMarked
package dev.tutti.sites.example;

import org.jspecify.annotations.NullMarked;
