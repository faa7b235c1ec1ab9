import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  findCitations,
  findUnknown,
  groupOf,
  measure,
  parseDocumented,
  parseTable,
  renderPage,
  rowsInScope,
} from "./requirements-model.ts";

const table = [
  "id\tlevel\twho\tarea\trequirement\thow_to_observe",
  "BASE-001\tMUST\tboth\tbase/scope\tEvery peer answers.\tCall it.",
  "BASE-002\tMUST\tserver\tbase/scope\tA <b> | c.\tdocs",
  "BASE-003\tSHOULD\tclient\tbase/scope\tAsks first.\tdocs; partly by a hook",
  "M-HTTP-001\tMUST\tboth\thttp/x\tOther.\tLook.",
].join("\n");
const rows = parseTable("t.tsv", table);
const idsIn = (source: string): string[] => findCitations("a.test.ts", source).citations.map(({ id }) => id);

describe("parseTable", () => {
  it("reads the six columns of each row", () => {
    assert.deepEqual(rows[0], {
      id: "BASE-001",
      group: "BASE",
      level: "MUST",
      who: "both",
      text: "Every peer answers.",
      howToObserve: "Call it.",
    });
  });

  it("names the line of a row with too few columns", () => {
    assert.throws(() => parseTable("t.tsv", "id\tlevel\nBASE-001\tMUST"), /t\.tsv:2: expected 6 columns, got 2/);
  });
});

describe("groupOf", () => {
  it("is all that stands before the number", () => {
    assert.equal(groupOf("HTTP-045"), "HTTP");
    assert.equal(groupOf("M-HTTP-001"), "M-HTTP");
  });
});

describe("rowsInScope", () => {
  it("has the rows of the groups but for those excluded, and the faults", () => {
    const scope = { groups: ["BASE"], excluded: ["BASE-002"], faults: ["PP-001"] };
    assert.deepEqual(
      rowsInScope(rows, scope).map(({ id }) => id),
      ["BASE-001", "BASE-003", "PP-001"],
    );
  });

  it("refuses an exclusion that excludes nothing", () => {
    assert.throws(() => rowsInScope(rows, { groups: ["BASE"], excluded: ["BASE-009"], faults: [] }), /BASE-009/);
  });
});

describe("parseDocumented", () => {
  it("reads table rows that begin with an id", () => {
    const page = "| id | reason | how |\n| --- | --- | --- |\n| `BASE-003` | a person acts | hook |\n";
    assert.deepEqual([...parseDocumented(page)], [["BASE-003", "a person acts; hook"]]);
  });
});

describe("findCitations", () => {
  it("finds ids in titles, several in one, in templates and in tables of cases", () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the placeholder is the input under test
    assert.deepEqual(idsIn('it("a [BASE-001] [PP-001]", f); test(`b ${x} [M-HTTP-001]`); it("c [A-001, B-002]")'), [
      "BASE-001",
      "PP-001",
      "M-HTTP-001",
      "A-001",
      "B-002",
    ]);
    assert.deepEqual(idsIn('const cases = [{ title: "d [BASE-002]" }]; await t.test("e [BASE-003]", f);'), [
      "BASE-002",
      "BASE-003",
    ]);
  });

  it("gives the title without its ids, and the line", () => {
    const [citation] = findCitations("a.test.ts", '\nit("answers [BASE-001] [BASE-002]", f);').citations;
    assert.deepEqual(citation, { id: "BASE-001", path: "a.test.ts", line: 2, title: "answers" });
  });

  it("does not count comments, other strings, skipped tests and tests to be written", () => {
    const source =
      '// it("x [BASE-001]")\nconst s = "[BASE-001]";\nit.skip("x [BASE-001]", f); it.todo("y [BASE-001]");';
    assert.deepEqual(idsIn(source), []);
  });

  it("refuses a range", () => {
    for (const range of ["BASE-001..003", "BASE-001-003", "BASE-001 to BASE-003"]) {
      assert.ok(findCitations("a.test.ts", `it("x [${range}]", f);`).problems.length > 0, range);
    }
  });
});

describe("findCitations, where an id proves nothing", () => {
  it("refuses the title of a test that does not run, and a string that is no title", () => {
    for (const source of ['it.skip("x [BASE-001]", f);', 'it.todo("x [BASE-001]");', 'check("x [BASE-001]");']) {
      const { citations, problems } = findCitations("a.test.ts", source);
      assert.deepEqual([citations.length, problems.length], [0, 1], source);
    }
  });
});

describe("findUnknown", () => {
  it("names an id that is in no table", () => {
    const { citations } = findCitations("a.test.ts", 'it("x [BASE-999]", f);');
    assert.match(findUnknown(citations, new Set(["BASE-001"]))[0]?.message ?? "", /BASE-999 is in no table/);
  });
});

describe("measure", () => {
  it("splits a group into proved, documented and open rows", () => {
    const { citations } = findCitations("a.test.ts", 'it("x [BASE-001]", f);');
    const [base] = measure(rows, ["BASE"], citations, new Map());
    assert.deepEqual(
      base?.covered.map(({ id }) => id),
      ["BASE-001"],
    );
    assert.deepEqual(
      base?.documented.map(({ id }) => id),
      ["BASE-002"],
    );
    assert.deepEqual(
      base?.uncovered.map(({ id }) => id),
      ["BASE-003"],
    );
    const [explained] = measure(rows, ["BASE"], citations, new Map([["BASE-003", "hook"]]));
    assert.deepEqual(explained?.uncovered, []);
  });
});

describe("renderPage", () => {
  it("shows each row in scope with its proof, and escapes what a table cannot hold", () => {
    const { citations } = findCitations("a.test.ts", 'it("answers [BASE-001]", f);');
    const page = renderPage(measure(rows, ["BASE"], citations, new Map()), citations, new Map());
    assert.match(page, /\| BASE-001 \| MUST \| both \| Every peer answers\. \| `a\.test\.ts` > answers \|/);
    assert.match(page, /\| BASE-002 \| MUST \| server \| A &lt;b> \\\| c\. \| documented \|/);
    assert.match(page, /\| BASE-003 .* \*\*open\*\* \|/);
    assert.doesNotMatch(page, /M-HTTP-001/);
  });
});
