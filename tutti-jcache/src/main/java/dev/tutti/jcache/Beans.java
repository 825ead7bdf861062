package dev.tutti.jcache;

import java.lang.management.ManagementFactory;
import java.net.URI;
import javax.cache.CacheException;
import javax.management.InstanceAlreadyExistsException;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/** Registers the MXBeans of a cache under the names that the standard gives them. */
final class Beans {

    private final ObjectName configuration;
    private final ObjectName statistics;

    Beans(URI manager, String cache) {
        configuration = name("CacheConfiguration", manager, cache);
        statistics = name("CacheStatistics", manager, cache);
    }

    private static ObjectName name(String type, URI manager, String cache) {
        try {
            return new ObjectName("javax.cache:type=" + type + ",CacheManager=" + plain(manager.toString()) + ",Cache=" + plain(cache));
        } catch (JMException e) {
            throw new CacheException("cache " + cache + ": its name can't be that of a bean: " + e.getMessage(), e);
        }
    }

    private static String plain(String text) {
        return text.replaceAll("[,:=\n*?\"]", ".");
    }

    void setConfiguration(boolean registered, Object bean) {
        set(configuration, registered, bean);
    }

    void setStatistics(boolean registered, Object bean) {
        set(statistics, registered, bean);
    }

    private static void set(ObjectName name, boolean registered, Object bean) {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        try {
            if (registered) {
                server.registerMBean(bean, name);
            } else {
                server.unregisterMBean(name);
            }
        } catch (InstanceAlreadyExistsException | InstanceNotFoundException e) {
            // It is as it should be; managers of other class loaders have beans of the same names.
        } catch (JMException e) {
            throw new CacheException("bean " + name + " can't be " + (registered ? "registered" : "removed") + ": " + e.getMessage(), e);
        }
    }
}
