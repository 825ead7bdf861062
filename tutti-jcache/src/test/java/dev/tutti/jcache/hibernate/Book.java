package dev.tutti.jcache.hibernate;

import jakarta.persistence.Cacheable;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import org.hibernate.annotations.Cache;
import org.hibernate.annotations.CacheConcurrencyStrategy;

/** An entity that is cached. */
@Entity
@Cacheable
@Cache(usage = CacheConcurrencyStrategy.READ_WRITE, region = "books")
public class Book {

    @Id
    private long id;

    private String title;

    /** For Hibernate. */
    protected Book() {}

    Book(long id, String title) {
        this.id = id;
        this.title = title;
    }

    String title() {
        return title;
    }

    void rename(String next) {
        title = next;
    }
}
