/** Clusters on several sites: {@link dev.tutti.sites.Sites}, and groups that span them, {@link dev.tutti.sites.SiteGroup}. */
@NullMarked
package dev.tutti.sites;

import org.jspecify.annotations.NullMarked;
