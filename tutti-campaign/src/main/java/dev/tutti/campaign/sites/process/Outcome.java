package dev.tutti.campaign.sites.process;

import java.util.List;
import java.util.Map;

/**
 * Result of a run.
 *
 * @param figures by name
 * @param findings violations, each a sentence
 */
public record Outcome(Map<String, Object> figures, List<String> findings) {}
