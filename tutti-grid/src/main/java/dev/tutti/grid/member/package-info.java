/** Members of the grid: processes with a node, which are in the group of their site, and connected with other sites. */
@NullMarked
package dev.tutti.grid.member;

import org.jspecify.annotations.NullMarked;
