// Draws the rows that the server offers as JSON into the empty shell.
(function () {
  var shell = document.getElementById("live");
  if (!shell) return;
  fetch(shell.getAttribute("data-source"))
    .then(function (answer) { return answer.json(); })
    .then(function (data) {
      var table = document.createElement("table");
      data.rows.forEach(function (row) {
        var line = table.insertRow();
        Object.keys(row).forEach(function (key) {
          if (key === "url") return;
          var cell = line.insertCell();
          cell.className = key;
          if (key === "name") {
            var link = document.createElement("a");
            link.href = row.url;
            link.textContent = row.name;
            cell.appendChild(link);
          } else {
            cell.textContent = row[key];
          }
        });
      });
      shell.appendChild(table);
    });
})();
