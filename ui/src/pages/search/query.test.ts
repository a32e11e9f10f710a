import { describe, expect, it } from "vitest";
import { emptyForm, rangeFilter, readFilter, readQuery, valueFilter, writeQuery, type QueryForm } from "./query";

function check(form: Partial<QueryForm>, query: string) {
  const whole = { ...emptyForm(), ...form };
  expect(writeQuery(whole)).toBe(query);
  expect(readQuery(query, ["price", "date"])).toEqual(whole);
}

describe("form ↔ query", () => {
  it("writes each box and reads it back", () => {
    check({}, "");
    check({ words: "red chair" }, "red chair");
    check({ words: "red chair", all: true }, "+red +chair");
    check({ phrase: "folding chair" }, '+"folding chair"');
    check({ any: "oak beech" }, "+(oak OR beech)");
    check({ any: 'oak "dark beech"' }, '+(oak OR "dark beech")');
    check({ none: 'garden "out of stock"' }, '-garden -"out of stock"');
    check({ words: "chair", place: "title" }, "title:chair");
    check({ site: "shop.test", filetype: "pdf", language: "de", kind: "row" }, "site:shop.test filetype:pdf lang:de kind:row");
    check({ after: "2024-11-30", before: "2025" }, "after:2024-11-30 before:2025");
    check({ words: "chair", ranges: [{ field: "price", from: "10", to: "50" }] }, "chair price:10..50");
    check({ ranges: [{ field: "price", from: "", to: "9.99" }] }, "price:..9.99");
    check({ ranges: [{ field: "price", from: "9.5", to: "" }] }, "price:9.5..");
  });

  it("writes all boxes together and reads them back", () => {
    check(
      {
        words: "chair", all: true, phrase: "solid oak", any: "red blue", none: "used", place: "title", site: "shop.test",
        after: "2024", ranges: [{ field: "price", from: "10", to: "50" }],
      },
      '+title:chair +title:"solid oak" +title:(red OR blue) -used site:shop.test after:2024 price:10..50',
    );
  });

  it("keeps what it has no box for", () => {
    const kept = ["red AND chair", "red NEAR/3 chair", "(red OR blue) AND chair", "+red chair", "title:a text:b"];
    for (const query of kept) {
      const form = readQuery(query);
      expect(form.rest).toBe(query);
      expect(writeQuery(form)).toBe(query);
    }
    expect(readQuery("chair -site:old.test")).toEqual({ ...emptyForm(), words: "chair", rest: "-site:old.test" });
    expect(writeQuery(readQuery("chair -site:old.test"))).toBe("chair -site:old.test");
    expect(readQuery("chair*  chiar~2").words).toBe("chair* chiar~2");
    // A name before a colon that is no known field is kept too; the order of words means nothing.
    expect(writeQuery(readQuery("C:drive x"))).toBe("x C:drive");
  });

  it("writes every text so that it is read back the same", () => {
    const texts = ['"a b" c', 'say "hi', "a - b", "((", "x ) y", "+", '-"', "price:..", "site:", "OR", "NOT a", 'title:"x y" z'];
    for (const text of texts) {
      const once = writeQuery(readQuery(text, ["price"]));
      expect(writeQuery(readQuery(once, ["price"])), text).toBe(once);
    }
  });

  it("takes signs and operators out of what is typed into boxes", () => {
    expect(writeQuery({ ...emptyForm(), words: "red OR -blue (x)" })).toBe("red or blue x");
    expect(writeQuery({ ...emptyForm(), phrase: ' say "hi"  now ' })).toBe('+"say hi now"');
    expect(writeQuery({ ...emptyForm(), site: "a b" })).toBe('site:"a b"');
  });
});

describe("filters", () => {
  it("are written and read", () => {
    expect(readFilter(valueFilter("brand", "Old Oak"))).toEqual({ column: "brand", value: "Old Oak" });
    expect(readFilter(rangeFilter("price", "10", ""))).toEqual({ column: "price", from: "10", to: "" });
    expect(readFilter("date:2024-01-01..2024-12-31")).toEqual({ column: "date", from: "2024-01-01", to: "2024-12-31" });
    expect(rangeFilter("price", " ", "")).toBe("");
    expect(readFilter("nothing")).toBeNull();
  });
});
