package dev.tutti.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MemberTest {

    private static Member member(String name, String address) {
        return new Member(new NodeId(1, name, address), 1);
    }

    @Test
    void textTellsTwoMembersOfOneNameApart() {
        assertThat(member("shop", "10.0.0.1:7800")).hasToString("shop@10.0.0.1:7800");
        assertThat(member("shop", "10.0.0.2:7800")).hasToString("shop@10.0.0.2:7800");
    }

    @Test
    void textIsTheAddressAloneIfThatSaysTheName() {
        assertThat(member("10.0.0.1:7800", "10.0.0.1:7800")).hasToString("10.0.0.1:7800");
        assertThat(member("shop", "shop:7800")).hasToString("shop:7800");
    }
}
