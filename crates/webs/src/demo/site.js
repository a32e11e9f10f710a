// The cookie banner goes away when it has been answered, and stays away.
(function () {
  var banner = document.getElementById("cookies");
  if (!banner) return;
  if (document.cookie.indexOf("cookies=") >= 0) banner.remove();
  banner.addEventListener("click", function (event) {
    var answer = event.target.getAttribute("data-cookies");
    if (!answer) return;
    document.cookie = "cookies=" + answer + "; path=/; max-age=31536000; samesite=lax";
    banner.remove();
  });
})();
