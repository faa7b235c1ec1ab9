import assert from "node:assert/strict";
import { isIP } from "node:net";
import { describe, it } from "node:test";

import fc from "fast-check";

import { addressScope, hostScope, isIpLiteral, isPrivateAddress } from "./address.ts";

const privateOnes = [
  ...["10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "100.127.255.255"],
  ...["127.0.0.1", "127.255.255.254", "0.0.0.0", "0.1.2.3", "169.254.169.254", "224.0.0.1", "239.255.255.255"],
  ...["240.0.0.1", "255.255.255.255", "192.0.2.1", "198.51.100.7", "203.0.113.7", "198.18.0.1", "198.19.255.255"],
  ...["192.0.0.170", "192.88.99.1", "::", "::1", "fc00::1", "fdff::1", "fe80::1", "febf::1", "fec0::1", "feff::1"],
  ...["ff02::1", "2001:db8::1", "3fff::1", "2001:10::1", "100::1", "64:ff9b:1::1", "5f00::1"],
];

const globalOnes = [
  ...["8.8.8.8", "1.1.1.1", "9.255.255.255", "11.0.0.0", "172.15.255.255", "172.32.0.0", "192.167.255.255"],
  ...["192.169.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0", "169.253.255.255"],
  ...["169.255.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255", "2606:4700::1111", "2a00::1"],
  ...["2001:4860:4860::8888", "2001:200::1", "3ffe::1"],
];

describe("isPrivateAddress", () => {
  it("is true of every literal that is not global unicast [SEC-016]", () => {
    assert.deepEqual(
      privateOnes.filter((host) => !isPrivateAddress(host)),
      [],
    );
  });

  it("is false of global addresses, also right beside the ranges, and of public names", () => {
    assert.deepEqual(globalOnes.filter(isPrivateAddress), []);
    assert.deepEqual(["example.com", "a.b.example", "local.example", "internal.example"].filter(isPrivateAddress), []);
  });

  it("sees through every spelling of an address [SEC-016]", () => {
    const spellings = [
      ...["0x0a000001", "167772161", "012.1", "10.1", "0x7f.1", "0177.0.0.1", "2130706433", "127.1", "10.0.0.1."],
      ...["[::ffff:10.0.0.1]", "::ffff:10.0.0.1", "[::ffff:a00:1]", "[0:0:0:0:0:0:0:1]", "[FE80::1]", "fe80::1%eth0"],
      ...["%31%30.0.0.1", "１２７.0.0.1", "0", "0x0"],
    ];
    assert.deepEqual(
      spellings.filter((host) => !isPrivateAddress(host) || !isIpLiteral(host)),
      [],
    );
  });

  it("looks at the address of version 4 inside one of version 6 [SEC-016]", () => {
    const embedding = [
      ...["::ffff:192.168.0.1", "::10.0.0.1", "64:ff9b::10.0.0.1", "64:ff9b::a9fe:a9fe", "2002:a00:1::1"],
      ...["2002:7f00:1::", "2001:0:a00:1::808:808", "2001:0:808:808:0:0:f5ff:fffe"],
    ];
    assert.deepEqual(
      embedding.filter((host) => !isPrivateAddress(host)),
      [],
    );
    const open = ["::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2002:808:808::1", "2001:0:808:808:0:0:f7f7:f7f7"];
    assert.deepEqual(open.filter(isPrivateAddress), []);
  });

  it("is true of names that mean something only on this machine or network", () => {
    const names = ["localhost", "LOCALHOST.", "app.localhost", "printer.local", "wiki", "metadata.google.internal"];
    assert.deepEqual(
      [...names, "nas.home.arpa"].filter((host) => !isPrivateAddress(host)),
      [],
    );
  });

  it("agrees with the platform about what an address is, and never throws", () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (address) => {
        assert.notEqual(isIP(address), 0);
        assert.equal(isIpLiteral(address), true);
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        assert.equal(typeof isPrivateAddress(text), "boolean");
      }),
    );
  });

  it("gives one answer for an address and for the same address mapped into version 6", () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        assert.equal(addressScope(`[::ffff:${address}]`), addressScope(address));
      }),
    );
  });
});

describe("isIpLiteral", () => {
  it("is false of names and of what is no host at all", () => {
    const others = ["example.com", "10.0.0.1.example", "localhost", "", "a b", "10.0.0.1/x", "u@10.0.0.1", "[::1", ":"];
    assert.deepEqual([...others, "1.2.3.4.5", "256.0.0.1", "10.0.0.1:80"].filter(isIpLiteral), []);
  });
});

describe("hostScope", () => {
  it("tells this machine, a network of one's own, a link and reserved addresses apart", () => {
    const scopes = [
      "localhost",
      "[::1]",
      "10.0.0.1",
      "wiki",
      "fd00::1",
      "169.254.1.1",
      "fe80::1",
      "0.0.0.0",
      "a.example",
    ];
    assert.deepEqual(scopes.map(hostScope), [
      ...["loopback", "loopback", "private", "private", "private", "link-local", "link-local", "reserved", "global"],
    ]);
  });
});
