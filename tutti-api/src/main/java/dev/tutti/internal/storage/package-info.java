/** Records of a node that outlive its process. */
@NullMarked
package dev.tutti.internal.storage;

import org.jspecify.annotations.NullMarked;
