package dev.tutti.spring;

import java.util.Map;

/**
 * Bean with settings of one group that hold unless the configuration sets them, for the group itself or for all groups.
 *
 * @param group name of the group
 * @param settings texts by the names of settings
 */
public record GroupDefaults(String group, Map<String, String> settings) {

    public GroupDefaults {
        settings = Map.copyOf(settings);
    }
}
